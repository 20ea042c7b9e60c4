-- URLs that a data folder has finished, after the servers had lost them: no lease is needed. ARGV: hashes, 7 bytes each.
local m = redis.call('HMGET', M, 'n', 'N', 'c', 'C', 'a')
local known = open_set('k', m[1], m[2])
local done = open_set('d', m[3], m[4])
local waiting = tonumber(m[5] or 0)
local hashes = {}
for at = 1, #ARGV[1], 7 do hashes[#hashes + 1] = struct.unpack('>I7', ARGV[1], at) end
local finished = {}
for hash in pairs(add_all(done, hashes)) do finished[#finished + 1] = hash end
waiting = waiting - learn_finished(known, finished)
redis.call('HMSET', M, 'n', int(known.count), 'N', int(known.buckets), 'c', int(done.count), 'C', int(done.buckets), 'a', int(waiting))
return 1
