-- A worker still writes the segment that it has begun. ARGV: number of the draft, ms that it may take from now on. Answer 1, or 0 if another
-- worker writes by now.
local p = KEYS[1] .. 'p'
if redis.call('HGET', p, 'e') ~= ARGV[1] or not redis.call('HGET', p, 'who') then return 0 end
local time = redis.call('TIME')
redis.call('HSET', p, 'until', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2]))
return 1
