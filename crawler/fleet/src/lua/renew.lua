-- A longer lease for its owner. ARGV: worker, epoch, length in ms. Answer: whether it is still the owner, and the end of the queue.
-- A lease that ran out and that nobody has taken since goes on: nobody else was the owner in between.
local M = KEYS[1] .. 'm'
local m = redis.call('HMGET', M, 'w', 'e', 'b')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then return {0, 0} end
local time = redis.call('TIME')
redis.call('HSET', M, 'x', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[3]))
return {1, tonumber(m[3] or 0) + redis.call('LLEN', KEYS[1] .. 'q')}
