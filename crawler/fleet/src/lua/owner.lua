-- Who owns a partition, as far as its row says. Answer: the incarnation, empty without one; its worker; whether it has read the queue to
-- its end.
local m = redis.call('HMGET', KEYS[1] .. 'm', 'o', 'w', 'p', 'b')
local stop = tonumber(m[4] or 0) + redis.call('LLEN', KEYS[1] .. 'q')
return {m[1] or '', tonumber(m[2] or 0), tonumber(m[3] or 0) >= stop and 1 or 0}
