-- Finished URLs that are to be fetched again. ARGV: number of the worker whose pages are lost (0: another reason), then rows. For one such
-- worker, a URL is queued again once, whoever asks for it and however often. For another reason, a URL that waits gets a further row: its owner
-- may have read the first one while its folder still had the page. The row gets the smallest known depth of its URL.
-- Answer: as of enqueue.lua.
local m = redis.call('HMGET', M, 'n', 'N', 'a', 'o', 'w', 'p', 'b', 'c', 'C')
local length = redis.call('LLEN', P .. 'q')
local known = open_set('k', m[1], m[2])
local done = open_set('d', m[8], m[9])
local all = {}
for at = 2, #ARGV do
  local hash = struct.unpack('>I7', ARGV[at])
  if ARGV[1] == '0' or redis.call('SADD', P .. 'x' .. ARGV[1], int(hash)) == 1 then all[#all + 1] = ARGV[at] end
end
local waits = {}
if ARGV[1] == '0' then
  for _, row in ipairs(all) do
    local hash = struct.unpack('>I7', row)
    if depth_of(known, hash) and not has(done, hash) then waits[hash] = true end
  end
end
-- A row of a URL that is finished until now comes below.
local rows, new = learn_rows(known, all, function(hash) return has(done, hash) end)
for _, row in ipairs(all) do
  local hash = struct.unpack('>I7', row)
  if redis.call('SREM', bucket(done, hash), int(hash)) == 1 then
    done.count = done.count - 1
    rows[#rows + 1] = with_depth(row, depth_of(known, hash))
    new = new + 1
  elseif waits[hash] then
    waits[hash] = nil
    rows[#rows + 1] = with_depth(row, depth_of(known, hash))
  end
end
if #rows > 0 then
  length = push(rows)
  redis.call('HMSET', M, 'n', int(known.count), 'N', int(known.buckets), 'c', int(done.count), 'a', int(tonumber(m[3] or 0) + new))
else
  redis.call('HINCRBY', M, 'r', 1)
end
if (m[4] or '') == '' or tonumber(m[6] or 0) >= tonumber(m[7] or 0) + length then return {0, new} end
return {tonumber(m[5]), new}
