-- Whether nobody has anything to do in a partition. Answer: its owner, 0 without one; whether the owner has read the queue to its end.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local m = redis.call('HMGET', KEYS[1] .. 'm', 'w', 'x', 'p', 'b')
if tonumber(m[2] or 0) <= now then return {0, 0} end
local stop = tonumber(m[4] or 0) + redis.call('LLEN', KEYS[1] .. 'q')
return {tonumber(m[1]), tonumber(m[3] or 0) >= stop and 1 or 0}
