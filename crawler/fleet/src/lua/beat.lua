-- A worker says that it lives. ARGV: number, nonce, ms until a silent worker counts as gone, idle (0 or 1), moves, report.
-- Answer: state (0 unknown, 1 replaced, 2 fine), live workers, rank among them, drain, finished, the picture to check (or empty),
-- numbers of the live workers in two bytes each.
--
-- The end of the crawl: when all live workers are idle, their numbers and moves are a picture. Whoever sees it first looks at all
-- partitions: each must have a live owner that has read its queue to the end. If the picture is the same afterwards, and then every
-- worker has said once more that it is idle and has moved nothing, nothing was under way while the partitions were looked at.
local P = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mine = redis.call('HGET', P .. 'b', ARGV[1])
if not mine then return {0} end
if string.match(mine, '^%d+|(%x+)|') ~= ARGV[2] then return {1} end
redis.call('HSET', P .. 'b', ARGV[1], now .. '|' .. ARGV[2] .. '|' .. ARGV[4] .. '|' .. ARGV[5])
redis.call('HSET', P .. 'w', ARGV[1], ARGV[6])

local beats = redis.call('HGETALL', P .. 'b')
local live, rank, idle, oldest = 0, 0, true, now
local me = tonumber(ARGV[1])
local seen, numbers = {}, {}
for at = 1, #beats, 2 do
  local beat, nonce, rests, moves = string.match(beats[at + 1], '^(%d+)|(%x+)|(%d)|(%d+)$')
  beat = tonumber(beat)
  if beat + tonumber(ARGV[3]) >= now then
    live = live + 1
    if tonumber(beats[at]) < me then rank = rank + 1 end
    if rests ~= '1' then idle = false end
    if beat < oldest then oldest = beat end
    numbers[#numbers + 1] = struct.pack('>I2', tonumber(beats[at]))
    seen[#seen + 1] = beats[at] .. ':' .. nonce .. ':' .. moves
  end
end

local finished, picture = 0, ''
local stage = redis.call('HMGET', P .. 'e', 'picture', 'counted', 'asked')
if not idle then
  if stage[1] then redis.call('DEL', P .. 'e') end
else
  table.sort(seen)
  local now_seen = redis.sha1hex(table.concat(seen, ','))
  if stage[1] ~= now_seen then
    redis.call('DEL', P .. 'e')
    redis.call('HSET', P .. 'e', 'picture', now_seen, 'asked', now)
    picture = now_seen
  elseif stage[2] then
    if oldest > tonumber(stage[2]) then finished = 1 end
  elseif now - tonumber(stage[3]) > tonumber(ARGV[3]) / 5 then
    -- Whoever was asked to look has not answered, or has found a partition with something to do.
    redis.call('HSET', P .. 'e', 'asked', now)
    picture = now_seen
  end
end
return {2, live, rank, redis.call('HGET', P .. 'm', 'drain') == '1' and 1 or 0, finished, picture, table.concat(numbers)}
