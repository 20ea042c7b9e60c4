-- URLs that wait: ARGV are rows, each beginning with the hash of its URL. Anyone may call it; a known URL changes nothing.
-- Answer: the worker that owns the partition and has not read its queue to the end, else 0; and how many of the URLs are new.
local m = redis.call('HMGET', M, 'n', 'N', 'a', 'o', 'w', 'p', 'b')
-- Before the first write: a queue that another program has overwritten must not leave URLs known that are in no queue.
local length = redis.call('LLEN', P .. 'q')
local known = open_set('k', m[1], m[2])
local hashes = {}
for at, row in ipairs(ARGV) do hashes[at] = struct.unpack('>I7', row) end
local is_new = add_all(known, hashes)
local rows = {}
for at, hash in ipairs(hashes) do
  if is_new[hash] then
    is_new[hash] = nil
    rows[#rows + 1] = ARGV[at]
  end
end
if #rows > 0 then
  length = push(rows)
  redis.call('HMSET', M, 'n', int(known.count), 'N', int(known.buckets), 'a', int(tonumber(m[3] or 0) + #rows))
else
  -- A write, so that whoever repeats a call over another connection waits until a replica has what the first one wrote.
  redis.call('HINCRBY', M, 'r', 1)
end
if (m[4] or '') == '' or tonumber(m[6] or 0) >= tonumber(m[7] or 0) + length then return {0, #rows} end
return {tonumber(m[5]), #rows}
