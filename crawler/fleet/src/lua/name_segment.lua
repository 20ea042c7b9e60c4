-- A segment is complete. ARGV: number of the draft, id of the last item before it, id of its last item, its row, number of its entries, its
-- bytes, and how many of them are in the object store. Answer 1, or 0 if another worker writes by now, or if the log does not hold, or does not count, what the segment covers.
local log = KEYS[1]
local p = redis.call('HMGET', log .. 'p', 'e', 't')
if redis.call('ZSCORE', log .. 'g', ARGV[4]) then
  -- The answer to an earlier call was lost. This is a write, so that the caller waits until a replica has what that call wrote.
  redis.call('HINCRBY', log .. 'p', 'r', 1)
  return 1
end
if p[1] ~= ARGV[1] or (p[2] or '0-0') ~= ARGV[2] then return 0 end
if is_before(redis.call('GET', log .. 'c') or '0-0', ARGV[3]) then return 0 end
if #redis.call('XRANGE', log .. 's', ARGV[3], ARGV[3]) == 0 then return 0 end
redis.call('ZADD', log .. 'g', 0, ARGV[4])
redis.call('HSET', log .. 'p', 't', ARGV[3])
redis.call('HINCRBY', log .. 'p', 'd', ARGV[5])
redis.call('HINCRBY', log .. 'p', 'b', ARGV[6])
redis.call('HINCRBY', log .. 'p', 'o', ARGV[7])
redis.call('HDEL', log .. 'p', 'who', 'until', 'draft')
return 1
