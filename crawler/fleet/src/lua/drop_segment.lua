-- The last segment is not whole. ARGV: number of the draft, its row, id of the last item before it, number of its entries, its bytes, how many
-- of them are in the object store, and id of the last item that it covers. Answer 1; 0 if another worker writes by now; 2 if the log does not
-- hold any more what the segment covers: then its row stays, because nothing can replace it.
local log = KEYS[1]
if redis.call('HGET', log .. 'p', 'e') ~= ARGV[1] then return 0 end
if not is_before(redis.call('HGET', log .. 'p', 'm') or '0-0', ARGV[7]) then return 2 end
if redis.call('ZREM', log .. 'g', ARGV[2]) == 1 then
  redis.call('HSET', log .. 'p', 't', ARGV[3])
  redis.call('HINCRBY', log .. 'p', 'd', -ARGV[4])
  redis.call('HINCRBY', log .. 'p', 'b', -ARGV[5])
  redis.call('HINCRBY', log .. 'p', 'o', 0 - ARGV[6])
end
return 1
