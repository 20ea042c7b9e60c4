-- What the owner of a partition has done. ARGV: worker, epoch, hashes of the finished URLs (7 bytes each), number of hosts,
-- a name and a state for each of them, then rows of new URLs. Refused, if the partition has another epoch.
local m = redis.call('HMGET', M, 'w', 'e', 'n', 'N', 'c', 'C', 'a', 'b')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then return 0 end
local known = open_set('k', m[3], m[4])
local done = open_set('d', m[5], m[6])
local waiting = tonumber(m[7] or 0)
local base = tonumber(m[8] or 0)

local finished = ARGV[3]
for at = 1, #finished, 7 do
  local hash = struct.unpack('>I7', finished, at)
  -- A URL that was finished without having been queued (a redirect led to it) is known from now on.
  if add(done, hash) and not add(known, hash) then waiting = waiting - 1 end
end

local hosts = tonumber(ARGV[4])
for at = 5, 4 + 2 * hosts, 2 do
  redis.call('HSET', P .. 'h', ARGV[at], ARGV[at + 1])
end

local rows = {}
for at = 5 + 2 * hosts, #ARGV do
  if add(known, (struct.unpack('>I7', ARGV[at]))) then rows[#rows + 1] = ARGV[at] end
end
for first = 1, #rows, 1000 do
  redis.call('RPUSH', P .. 'q', unpack(rows, first, math.min(first + 999, #rows)))
end
waiting = waiting + #rows

-- The queue keeps finished rows until they are its greater part. Then some leave at its front; those that still wait go to its end.
local queue = P .. 'q'
local length = redis.call('LLEN', queue)
for _ = 1, 4 do
  if length <= 2 * waiting + 64 then break end
  local front = redis.call('LPOP', queue, 64)
  local kept = {}
  for _, row in ipairs(front) do
    if not has(done, (struct.unpack('>I7', row))) then kept[#kept + 1] = row end
  end
  if #kept > 0 then redis.call('RPUSH', queue, unpack(kept)) end
  base = base + #front
  length = length - #front + #kept
end

redis.call('HMSET', M, 'n', known.count, 'N', known.buckets, 'c', done.count, 'C', done.buckets, 'a', waiting, 'b', base)
return 1
