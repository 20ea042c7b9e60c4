-- URLs that a data folder has finished, after the servers had lost them: no lease is needed. ARGV: hashes, 7 bytes each, and their depths, 2 bytes
-- each (65535: not known). The smallest depth counts, whichever folder has it.
local m = redis.call('HMGET', M, 'n', 'N', 'c', 'C', 'a')
local known = open_set('k', m[1], m[2])
local done = open_set('d', m[3], m[4])
local waiting = tonumber(m[5] or 0)
local hashes, depths = {}, {}
for at = 1, #ARGV[1], 7 do
  hashes[#hashes + 1] = struct.unpack('>I7', ARGV[1], at)
  depths[#hashes] = struct.unpack('>I2', ARGV[2], 2 * #hashes - 1)
end
local finished = add_all(done, hashes)
local new = learn(known, hashes, depths)
-- A URL that was known until now has waited.
for hash in pairs(finished) do
  if not new[hash] then waiting = waiting - 1 end
end
redis.call('HMSET', M, 'n', int(known.count), 'N', int(known.buckets), 'c', int(done.count), 'C', int(done.buckets), 'a', int(waiting))
return 1
