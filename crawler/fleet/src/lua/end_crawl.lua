-- The crawl is to be deleted. Answer: 0 if there is no such crawl; 1 if no worker lives: those that start from now on stop; 2, a worker that lives, and
-- the ms that its lease still lasts.
local P = KEYS[1]
if redis.call('HEXISTS', P .. 'm', 'id') == 0 then return {0, 0, 0} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, lease in ipairs(redis.call('HVALS', P .. 'l')) do
  local expiry, worker = string.match(lease, '^(%d+)|%d+|(%d+)$')
  if expiry and tonumber(expiry) > now then return {2, tonumber(worker), tonumber(expiry) - now} end
end
redis.call('HSET', P .. 'm', 'drain', '1')
return {1, 0, 0}
