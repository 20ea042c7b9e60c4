-- A worker says that it lives, and renews its lease. ARGV: number, incarnation, length of the lease in ms, what it does (0: it works, 1: it
-- is idle, 2: it reads the log for the first time), moves, report,
-- number of the last news that it has.
-- Answer: state (0 unknown, 1 replaced, 2 fine, 3 ended, 4 forgotten), live workers, those of them that share the partitions, rank among these, orders of the user (1: stop, 2: wait, 3: both),
-- finished, the picture to check (or empty),
-- incarnations of the live workers, then the news: the queues of the worker that it is to read, each with the number of the news; the workers
-- whose folders a crawl awaits that the servers had lost, the workers that were forgotten, the last number of a worker, and the rules that
-- the user has changed (a line each: key, tab, value).
--
-- A lease that ran out goes on, unless somebody has ended it (ended.lua): nobody has taken a partition of the worker then.
--
-- The end of the crawl: when all live workers are idle, their numbers and moves are a picture. Whoever sees it first looks at all
-- partitions: each must have a live owner that has read its queue to the end. If the picture is the same afterwards, and then every
-- worker has said once more that it is idle and has moved nothing, nothing was under way while the partitions were looked at.
-- The proof lasts for the workers of its picture (done): those that learn of the end leave one after the other.
local P = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mine = redis.call('HGET', P .. 'b', ARGV[1])
if not mine then
  local forgotten = redis.call('HGET', P .. 'm', 'forgotten') or ''
  return {string.find(forgotten, ',' .. ARGV[1] .. ',', 1, true) and 4 or 0}
end
if string.match(mine, '^%d+|(%x+)|') ~= ARGV[2] then return {1} end
local lease = redis.call('HGET', P .. 'l', ARGV[2])
if not lease then return {3} end
-- expiry in ms | since when it was renewed in time | worker
local expiry, since = string.match(lease, '^(%d+)|(%d+)|')
if tonumber(expiry) <= now then since = now end
redis.call('HSET', P .. 'l', ARGV[2], (now + tonumber(ARGV[3])) .. '|' .. since .. '|' .. ARGV[1])
redis.call('HSET', P .. 'b', ARGV[1], now .. '|' .. ARGV[2] .. '|' .. ARGV[4] .. '|' .. ARGV[5])
redis.call('HSET', P .. 'w', ARGV[1], ARGV[6])

local beats = redis.call('HGETALL', P .. 'b')
local live, sharing, rank, idle, oldest = 0, 0, 0, true, now
local me = tonumber(ARGV[1])
local seen, incarnations = {}, {}
local stage = redis.call('HMGET', P .. 'e', 'picture', 'counted', 'asked', 'done')
local is_proved = stage[4]
for at = 1, #beats, 2 do
  local beat, incarnation, rests, moves = string.match(beats[at + 1], '^(%d+)|(%x+)|(%d)|(%d+)$')
  beat = tonumber(beat)
  if beat + tonumber(ARGV[3]) >= now then
    -- A worker that has not read the log yet takes no share of the partitions.
    live = live + 1
    if rests ~= '2' then
      sharing = sharing + 1
      if tonumber(beats[at]) < me then rank = rank + 1 end
    end
    if rests ~= '1' then idle = false end
    if beat < oldest then oldest = beat end
    incarnations[#incarnations + 1] = incarnation
    local one = beats[at] .. ':' .. incarnation .. ':' .. moves
    seen[#seen + 1] = one
    is_proved = is_proved and string.find(stage[4], ',' .. one .. ',', 1, true)
  end
end

local finished, picture = 0, ''
if not idle then
  if stage[1] then redis.call('DEL', P .. 'e') end
elseif is_proved then
  finished = 1
else
  table.sort(seen)
  local now_seen = redis.sha1hex(table.concat(seen, ','))
  if stage[1] ~= now_seen then
    redis.call('DEL', P .. 'e')
    redis.call('HSET', P .. 'e', 'picture', now_seen, 'asked', now)
    picture = now_seen
  elseif stage[2] then
    if oldest > tonumber(stage[2]) then
      finished = 1
      redis.call('HSET', P .. 'e', 'done', ',' .. table.concat(seen, ',') .. ',')
    end
  elseif now - tonumber(stage[3]) > tonumber(ARGV[3]) / 5 then
    -- Whoever was asked to look has not answered, or has found a partition with something to do.
    redis.call('HSET', P .. 'e', 'asked', now)
    picture = now_seen
  end
end

-- News that the worker has need not be told again.
local key = P .. 'n' .. ARGV[1]
local news = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
if #news > 0 and tonumber(news[2]) <= tonumber(ARGV[7]) then
  redis.call('ZREMRANGEBYSCORE', key, '-inf', ARGV[7])
  news = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
end
local orders = redis.call('HMGET', P .. 'm', 'drain', 'pause', 'back', 'forgotten', 'last', 'changed')
local awaited, forgotten = {}, orders[4] or ','
if orders[3] then
  for number = 1, tonumber(orders[5] or 0) do
    local text = ',' .. number .. ','
    if not (string.find(orders[3], text, 1, true) or string.find(forgotten, text, 1, true)) then awaited[#awaited + 1] = number end
  end
  if #awaited == 0 then redis.call('HDEL', P .. 'm', 'back') end
end
return {2, live, sharing, rank, (orders[1] == '1' and 1 or 0) + (orders[2] == '1' and 2 or 0), finished, picture,
  picture ~= '' and table.concat(incarnations, ',') or '', news,
  table.concat(awaited, ','), string.sub(forgotten, 2, -2), tonumber(orders[5] or 0), orders[6] or ''}
