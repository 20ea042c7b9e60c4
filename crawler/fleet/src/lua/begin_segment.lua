-- A worker wants to write the next segment. ARGV: nonce of its process, ms that it may take, fewest entries that are worth it, id of
-- the last item that the worker has applied. Answer: number of the draft (0: not now), id of the last item that segments cover, the last segment's row, the
-- draft that another worker has not finished.
local log = KEYS[1]
local p = redis.call('HMGET', log .. 'p', 't', 'd', 'who', 'until', 'draft')
if tonumber(redis.call('GET', log .. 'n') or 0) - tonumber(p[2] or 0) < tonumber(ARGV[3]) then return {0} end
if not is_before(p[1] or '0-0', ARGV[4]) then return {0} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if p[3] and p[3] ~= ARGV[1] and tonumber(p[4]) > now then return {0} end
local epoch = redis.call('HINCRBY', log .. 'p', 'e', 1)
redis.call('HSET', log .. 'p', 'who', ARGV[1], 'until', now + tonumber(ARGV[2]), 'draft', epoch .. '.' .. ARGV[1])
return {epoch, p[1] or '0-0', redis.call('ZREVRANGE', log .. 'g', 0, 0)[1] or '', p[5] or ''}
