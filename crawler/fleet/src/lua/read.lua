-- Rows of the queue. ARGV: worker, position of the first, number of rows to look at, epoch (0: not its partition). Answer: the next position, the end, rows.
-- Those that still wait are in it, and some of finished URLs, with a flag that says so, because their depths may be news: rows that lower a
-- depth, and rows that no owner has read yet. The owner may have found such a URL itself by a longer path, and have fetched it.
local m = redis.call('HMGET', M, 'b', 'c', 'C', 'w', 'p', 'e', 'f')
local base = tonumber(m[1] or 0)
local done = open_set('d', m[2], m[3])
local stop = base + redis.call('LLEN', P .. 'q')
local first = math.max(tonumber(ARGV[2]), base)
-- Beyond the end: a server has lost the end of the queue, so the reader begins again.
if first > stop then first = base end
local rows = redis.call('LRANGE', P .. 'q', first - base, first - base + tonumber(ARGV[3]) - 1)
local answer = {first + #rows, stop}
local was_ever_read = tonumber(m[7] or 0)
for at, row in ipairs(rows) do
  if not has(done, (struct.unpack('>I7', row))) then
    answer[#answer + 1] = row
  elseif lowers(row) or first + at > was_ever_read then
    answer[#answer + 1] = flagged(row, FINISHED)
  end
end
-- How far the owner has read is kept: the end of the crawl is proved with it. And each call that reads rows writes, so that the
-- caller can wait until a replica has all that it has read.
if m[4] == ARGV[1] and m[6] == ARGV[4] then
  if #rows > 0 or tonumber(m[5] or 0) ~= answer[1] then
    redis.call('HSET', M, 'p', int(answer[1]), 'f', int(math.max(was_ever_read, answer[1])))
  end
elseif #rows > 0 then
  redis.call('HINCRBY', M, 'r', 1)
end
return answer
