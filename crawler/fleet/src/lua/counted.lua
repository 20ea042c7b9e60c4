-- All partitions were quiet. ARGV: the picture that held before they were looked at.
local e = redis.call('HGET', KEYS[1] .. 'e', 'picture')
if e ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1] .. 'e', 'counted', time[1] * 1000 + math.floor(time[2] / 1000))
return 1
