-- URLs that wait: ARGV are rows, each beginning with the hash of its URL. Anyone may call it. A known URL changes nothing, unless its depth
-- was larger: then the row is queued to tell the owner of the partition.
-- Answer: the worker that owns the partition and has not read its queue to the end, else 0; and how many of the URLs are new.
local m = redis.call('HMGET', M, 'n', 'N', 'a', 'o', 'w', 'p', 'b')
-- Before the first write: a queue that another program has overwritten must not leave URLs known that are in no queue.
local length = redis.call('LLEN', P .. 'q')
local known = open_set('k', m[1], m[2])
local rows, new = learn_rows(known, ARGV)
if #rows > 0 then length = push(rows) end
if new > 0 then
  redis.call('HMSET', M, 'n', int(known.count), 'N', int(known.buckets), 'a', int(tonumber(m[3] or 0) + new))
else
  -- A write, so that whoever repeats a call over another connection waits until a replica has what the first one wrote.
  redis.call('HINCRBY', M, 'r', 1)
end
if (m[4] or '') == '' or tonumber(m[6] or 0) >= tonumber(m[7] or 0) + length then return {0, new} end
return {tonumber(m[5]), new}
