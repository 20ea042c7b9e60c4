-- A worker will not come back. ARGV: its number. Answer: 0 and 0 if it is forgotten from now on, 1 and the last number of a worker if there is
-- no such worker, 2 and 0 if it was forgotten before, 3 and the ms that its lease still lasts, 4 and 0 if there is no such crawl.
-- Its leases end for ever; its folder stays known, so that the worker is told when it comes back.
local P = KEYS[1]
local m = redis.call('HMGET', P .. 'm', 'id', 'last', 'forgotten')
if not m[1] then return {4, 0} end
local last, forgotten = tonumber(m[2] or 0), m[3] or ','
local number = tonumber(ARGV[1])
if number < 1 or number > last then return {1, last} end
-- A write, so that whoever repeats the call waits until a replica has what the first one wrote.
redis.call('HINCRBY', P .. 'm', 'r', 1)
if string.find(forgotten, ',' .. ARGV[1] .. ',', 1, true) then return {2, 0} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local leases = redis.call('HGETALL', P .. 'l')
local ended = {}
for at = 1, #leases, 2 do
  local expiry, worker = string.match(leases[at + 1], '^(%d+)|%d+|(%d+)$')
  if worker == ARGV[1] then
    if tonumber(expiry) > now then return {3, tonumber(expiry) - now} end
    ended[#ended + 1] = leases[at]
  end
end
for _, incarnation in ipairs(ended) do redis.call('HDEL', P .. 'l', incarnation) end
redis.call('HDEL', P .. 'b', ARGV[1])
-- The workers have something to do: the end of the crawl is proved anew.
redis.call('DEL', P .. 'e', P .. 'n' .. ARGV[1])
redis.call('HSET', P .. 'm', 'forgotten', forgotten .. ARGV[1] .. ',')
return {0, 0}
