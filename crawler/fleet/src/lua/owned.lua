-- Whether a worker still owns a partition. ARGV: worker, epoch. Answer: 1 or 0, and the end of the queue.
local m = redis.call('HMGET', KEYS[1] .. 'm', 'w', 'e', 'o', 'b')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or (m[3] or '') == '' then return {0, 0} end
return {1, tonumber(m[4] or 0) + redis.call('LLEN', KEYS[1] .. 'q')}
