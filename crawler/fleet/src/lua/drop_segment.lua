-- The last segment is not whole; the log still holds what it covers. ARGV: number of the draft, its row, id of the last item before it,
-- number of its entries, its bytes, and how many of them are in the object store. Answer 1, or 0 if another worker writes by now.
local log = KEYS[1]
if redis.call('HGET', log .. 'p', 'e') ~= ARGV[1] then return 0 end
if redis.call('ZREM', log .. 'g', ARGV[2]) == 1 then
  redis.call('HSET', log .. 'p', 't', ARGV[3])
  redis.call('HINCRBY', log .. 'p', 'd', -ARGV[4])
  redis.call('HINCRBY', log .. 'p', 'b', -ARGV[5])
  redis.call('HINCRBY', log .. 'p', 'o', 0 - ARGV[6])
end
return 1
