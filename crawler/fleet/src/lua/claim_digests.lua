-- Workers claim digests. ARGV: a digest (16 bytes) and a page, for each claim.
-- Answer: for each claim the page whose claim of the digest was the first.
local T = P .. 't'

-- What decides in which small hash a digest lies: its first 48 bits, which the numbers of Lua hold exactly.
local function place(digest)
  return (struct.unpack('>I6', digest))
end

local function split_hash(set)
  local from = set.buckets - set.top
  local modulus = set.top * 2
  local rows = redis.call('HGETALL', set.prefix .. int(from))
  local moved, digests = {}, {}
  for at = 1, #rows, 2 do
    if place(rows[at]) % modulus ~= from then
      digests[#digests + 1] = rows[at]
      moved[#moved + 1] = rows[at]
      moved[#moved + 1] = rows[at + 1]
    end
  end
  -- A site can choose texts whose digests all lie in one small hash, and Lua passes at most some thousand values to a call.
  for first = 1, #digests, 500 do
    local last = math.min(first + 499, #digests)
    redis.call('HSET', set.prefix .. int(set.buckets), unpack(moved, 2 * first - 1, 2 * last))
    redis.call('HDEL', set.prefix .. int(from), unpack(digests, first, last))
  end
  set.buckets = set.buckets + 1
  if set.buckets == modulus then set.top = modulus end
end

local m = redis.call('HMGET', T, 'n', 'N')
local claimed = open_set('t', m[1], m[2])
local before = claimed.count
local keepers = {}
for at = 1, #ARGV, 2 do
  local key = bucket(claimed, place(ARGV[at]))
  local keeper = redis.call('HGET', key, ARGV[at])
  if not keeper then
    keeper = ARGV[at + 1]
    redis.call('HSET', key, ARGV[at], keeper)
    claimed.count = claimed.count + 1
  end
  keepers[#keepers + 1] = keeper
end
while claimed.count > claimed.buckets * 64 do split_hash(claimed) end
-- A write in any case, as in enqueue.lua: the answer may rest on a claim that no replica has yet.
if claimed.count > before then
  redis.call('HSET', T, 'n', int(claimed.count), 'N', int(claimed.buckets))
else
  redis.call('HINCRBY', T, 'r', 1)
end
return keepers
