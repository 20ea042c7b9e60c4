-- What the owner of a partition has done. ARGV: worker, epoch, hashes of the finished URLs (7 bytes each), 1 if the owner has all new URLs
-- in its own store, number of hosts, a name and a state for each of them, then rows of new URLs.
-- Answer: 0 if the partition has another epoch. Else 1, the end of the queue, and whether the owner has read it up to there.
local m = redis.call('HMGET', M, 'w', 'e', 'n', 'N', 'c', 'C', 'a', 'b', 'p', 'f')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then return {0, 0, 0} end
local known = open_set('k', m[3], m[4])
local done = open_set('d', m[5], m[6])
local waiting = tonumber(m[7] or 0)
local base = tonumber(m[8] or 0)
local read = tonumber(m[9] or 0)
local was_ever_read = math.max(tonumber(m[10] or 0), read)
local length = redis.call('LLEN', P .. 'q')
local was_read = read >= base + length

if ARGV[3] ~= '' then
  local hashes = {}
  for at = 1, #ARGV[3], 7 do hashes[#hashes + 1] = struct.unpack('>I7', ARGV[3], at) end
  local finished = {}
  for hash in pairs(add_all(done, hashes)) do finished[#finished + 1] = hash end
  -- A URL that was finished without having been queued (a redirect led to it) is known from now on.
  waiting = waiting - learn_finished(known, finished)
end

local hosts = tonumber(ARGV[5])
if hosts > 0 then redis.call('HSET', P .. 'h', unpack(ARGV, 6, 5 + 2 * hosts)) end

local first = 6 + 2 * hosts
if #ARGV >= first then
  local all = {}
  for at = first, #ARGV do all[#all + 1] = ARGV[at] end
  -- An owner that has fetched a URL of its own store knows the depth. A URL that waits may get another owner: that one reads the row.
  local rows, new = learn_rows(known, all, ARGV[4] == '1' and function(hash) return has(done, hash) end)
  if #rows > 0 then length = push(rows) end
  waiting = waiting + new
  was_read = was_read and (#rows == 0 or ARGV[4] == '1')
end

-- The queue keeps rows that are of no use any more until they are its greater part. Then some leave at its front; the others go to its end.
-- A row of a URL that waits is of use if it has the smallest depth: so the others leave, and one row a URL is left. A row of a finished URL
-- is of use as read.lua says, until the owner has read it.
local queue = P .. 'q'
for _ = 1, 4 do
  if length <= 2 * waiting + 64 then break end
  local front = redis.call('LPOP', queue, 64)
  local kept = {}
  for at, row in ipairs(front) do
    local hash = struct.unpack('>I7', row)
    local is_of_use
    if has(done, hash) then
      -- Of a queue that nobody has ever read, all rows of finished URLs leave but those that lower a depth.
      local is_unread = base + at > read
      if not lowers(row) then is_unread = was_ever_read > 0 and base + at > was_ever_read end
      is_of_use = is_unread and not was_read
    else
      is_of_use = row_depth(row) <= (depth_of(known, hash) or NO_DEPTH)
    end
    if is_of_use then kept[#kept + 1] = row end
  end
  if #kept > 0 then redis.call('RPUSH', queue, unpack(kept)) end
  base = base + #front
  length = length - #front + #kept
end

-- What the owner has in its store, it need not read.
if was_read then read = base + length end
-- Only what has changed: each field is a part of what goes to the replicas and to the disk.
local changed = {}
local function keep(field, at, value)
  if tonumber(m[at] or -1) ~= value then
    changed[#changed + 1] = field
    changed[#changed + 1] = int(value)
  end
end
keep('n', 3, known.count)
keep('N', 4, known.buckets)
keep('c', 5, done.count)
keep('C', 6, done.buckets)
keep('a', 7, waiting)
keep('b', 8, base)
keep('p', 9, read)
keep('f', 10, math.max(was_ever_read, read))
-- A write in any case, as in enqueue.lua.
if #changed > 0 then redis.call('HSET', M, unpack(changed)) else redis.call('HINCRBY', M, 'r', 1) end
return {1, base + length, was_read and 1 or 0}
