-- What the log holds behind a place. ARGV: id of the last item that was read, 1 if all its entries were read, the place as the rows of
-- segments begin with it.
-- Answer: entries that no segment covers, kind (0 items, 1 the row of a segment, 2 the item of the place is lost), id of the last item to
-- read ('' if there is none) or row, and 1 if the item of the place is in the log. The reader fetches the items itself: Lua makes strings of
-- what a script reads, and hashes each of their bytes.
local log = KEYS[1]
local p = redis.call('HMGET', log .. 'p', 'm', 'd')
local cut = p[1] or '0-0'
local uncovered = math.max(0, tonumber(redis.call('GET', log .. 'n') or 0) - tonumber(p[2] or 0))
if is_before(ARGV[1], cut) or (ARGV[1] == cut and ARGV[2] == '0' and p[1]) then
  local rows = redis.call('ZRANGEBYLEX', log .. 'g', '(' .. ARGV[3] .. '~', '+', 'LIMIT', 0, 1)
  return {uncovered, 1, rows[1] or ''}
end
local stream = log .. 's'
local is_there = is_before(cut, ARGV[1])
if is_there and #redis.call('XRANGE', stream, ARGV[1], ARGV[1]) == 0 then return {uncovered, 2} end
-- Only what counts.
local counts = redis.call('GET', log .. 'c') or '0-0'
if is_before(counts, ARGV[1]) or (counts == ARGV[1] and ARGV[2] == '1') then return {uncovered, 0, ''} end
return {uncovered, 0, counts, is_there and 1 or 0}
