-- Shared by the scripts of a partition: the URLs that are known (k) and those that are finished (d).
-- k keeps the depth of each known URL by its hash, in small hashes. d is a set of hashes, in small sets of integers. Redis keeps a hash
-- of up to 128 fields, and a set of up to 512 integers, in one piece of memory, and takes several times as much beyond.
-- Both grow by linear hashing: of n URLs, there are n / 40 small hashes and n / 200 small sets, and one is split at a time, so that no call
-- is slow. Before a small one is split, it has up to twice as many URLs as that, and chance adds some (by a Poisson distribution).
-- Hashes of URLs have 53 bits, so that the numbers of Lua hold them exactly. A field of k is the 7 bytes of the hash.
local P = KEYS[1]
local M = P .. 'm'

-- An integer in digits. Redis writes a number as a double with 17 digits, which takes five times as long.
local function int(number)
  return string.format('%d', number)
end

-- URLs of each small hash of k, and of each small set of d, on average.
local LOADS = {k = 40, d = 200}

-- A depth that every other one lowers: of a URL that was finished without having been queued. And the depth in the row of a URL of which
-- only the name is known (url.rs): it lowers none.
local NO_DEPTH, UNKNOWN_DEPTH = 65535, 65534

local function open_set(name, count, buckets)
  buckets = tonumber(buckets or 1)
  local top = 1
  while top * 2 <= buckets do top = top * 2 end
  return {prefix = P .. name, load = LOADS[name], count = tonumber(count or 0), buckets = buckets, top = top}
end

local function bucket(set, hash)
  local index = hash % (set.top * 2)
  if index >= set.buckets then index = index - set.top end
  return set.prefix .. int(index)
end

local function has(set, hash)
  return redis.call('SISMEMBER', bucket(set, hash), int(hash)) == 1
end

-- Notes that there is one small set more.
local function has_split(set)
  set.buckets = set.buckets + 1
  if set.buckets == set.top * 2 then set.top = set.buckets end
end

local function split(set)
  local from = set.buckets - set.top
  local modulus = set.top * 2
  local moved = {}
  for _, member in ipairs(redis.call('SMEMBERS', set.prefix .. int(from))) do
    if tonumber(member) % modulus ~= from then moved[#moved + 1] = member end
  end
  -- A site can choose URLs that all lie in one small set, and Lua passes at most some thousand values to a call.
  for first = 1, #moved, 1000 do
    local last = math.min(first + 999, #moved)
    redis.call('SREM', set.prefix .. int(from), unpack(moved, first, last))
    redis.call('SADD', set.prefix .. int(set.buckets), unpack(moved, first, last))
  end
  has_split(set)
end

-- The same for the known URLs.
local function split_known(known)
  local from = known.buckets - known.top
  local modulus = known.top * 2
  local fields, pairs_of = {}, {}
  local all = redis.call('HGETALL', known.prefix .. int(from))
  for at = 1, #all, 2 do
    if struct.unpack('>I7', all[at]) % modulus ~= from then
      fields[#fields + 1] = all[at]
      pairs_of[#pairs_of + 1] = all[at]
      pairs_of[#pairs_of + 1] = all[at + 1]
    end
  end
  for first = 1, #fields, 1000 do
    local last = math.min(first + 999, #fields)
    redis.call('HDEL', known.prefix .. int(from), unpack(fields, first, last))
    redis.call('HSET', known.prefix .. int(known.buckets), unpack(pairs_of, first * 2 - 1, last * 2))
  end
  has_split(known)
end

-- The different ones of some hashes, by the small sets in which they are: these take few commands together, not some each. Answer: the groups by
-- the keys of their small sets, and these keys in order.
local function grouped(set, hashes)
  local groups, order, seen = {}, {}, {}
  for _, hash in ipairs(hashes) do
    if not seen[hash] then
      seen[hash] = true
      local key = bucket(set, hash)
      local group = groups[key]
      if not group then
        group = {}
        groups[key] = group
        order[#order + 1] = key
      end
      group[#group + 1] = hash
    end
  end
  return groups, order
end

-- Adds hashes. Answer: those that were new in the set, each as a key.
local function add_all(set, hashes)
  local groups, order = grouped(set, hashes)
  local is_new = {}
  for _, hash in ipairs(hashes) do is_new[hash] = true end
  for _, key in ipairs(order) do
    local group = groups[key]
    local added = 1
    if #group == 1 then
      added = redis.call('SADD', key, int(group[1]))
      if added == 0 then is_new[group[1]] = nil end
    else
      local members, missing = {}, {}
      for at, hash in ipairs(group) do members[at] = int(hash) end
      for at, known in ipairs(redis.call('SMISMEMBER', key, unpack(members))) do
        if known == 1 then is_new[group[at]] = nil else missing[#missing + 1] = members[at] end
      end
      added = #missing
      if added > 0 then redis.call('SADD', key, unpack(missing)) end
    end
    set.count = set.count + added
  end
  while set.count > set.buckets * set.load do split(set) end
  return is_new
end

-- Rows at the end of the queue. Answer: its length.
local function push(rows)
  local length
  for first = 1, #rows, 1000 do
    length = redis.call('RPUSH', P .. 'q', unpack(rows, first, math.min(first + 999, #rows)))
  end
  return length
end

-- The depth of a known URL; nil if it is not known.
local function depth_of(known, hash)
  return tonumber(redis.call('HGET', bucket(known, hash), struct.pack('>I7', hash)) or nil)
end

-- Makes URLs known, each with its depth; the smallest one counts. Answer: those that were new, and those whose depth was larger, each as a
-- key with its depth now.
local function learn(known, hashes, depths)
  local groups, order = grouped(known, hashes)
  local offered = {}
  for at, hash in ipairs(hashes) do
    local before = offered[hash]
    if not before or depths[at] < before then offered[hash] = depths[at] end
  end
  local new, lowered = {}, {}
  for _, key in ipairs(order) do
    local group, fields, changes = groups[key], {}, {}
    for at, hash in ipairs(group) do fields[at] = struct.pack('>I7', hash) end
    for at, depth in ipairs(redis.call('HMGET', key, unpack(fields))) do
      local hash = group[at]
      local now = offered[hash]
      if not depth then
        new[hash] = now
        known.count = known.count + 1
      elseif now < tonumber(depth) and now ~= UNKNOWN_DEPTH then
        lowered[hash] = now
      end
      if new[hash] or lowered[hash] then
        changes[#changes + 1] = fields[at]
        changes[#changes + 1] = int(now)
      end
    end
    if #changes > 0 then redis.call('HSET', key, unpack(changes)) end
  end
  while known.count > known.buckets * known.load do split_known(known) end
  return new, lowered
end

-- Makes URLs known that are finished, and of which nothing else is known. Answer: the number of those that were known before.
local function learn_finished(known, hashes)
  local depths = {}
  for at = 1, #hashes do depths[at] = NO_DEPTH end
  local before = known.count
  learn(known, hashes, depths)
  return #hashes - (known.count - before)
end

-- The depth in a row (url.rs), and the place of its last byte.
local function row_depth(row)
  local depth, scale, at = 0, 1, 11
  local byte = string.byte(row, at)
  while byte >= 128 do
    depth = depth + (byte - 128) * scale
    scale, at = scale * 128, at + 1
    byte = string.byte(row, at)
  end
  return depth + byte * scale, at
end

-- A row with a depth, if that is smaller.
local function with_depth(row, depth)
  local now, last = row_depth(row)
  if now <= depth then return row end
  local bytes = ''
  while depth >= 128 do
    bytes = bytes .. string.char(128 + depth % 128)
    depth = math.floor(depth / 128)
  end
  return string.sub(row, 1, 10) .. bytes .. string.char(depth) .. string.sub(row, last + 1)
end

-- A row with one more flag.
local LOWERS, FINISHED = 16, 32
local function flagged(row, flag)
  return string.sub(row, 1, 7) .. string.char(bit.bor(string.byte(row, 8), flag)) .. string.sub(row, 9)
end

-- Whether a row says that the depth of its URL is smaller than before.
local function lowers(row)
  return bit.band(string.byte(row, 8), LOWERS) ~= 0
end

-- Makes the URLs of rows known. Answer: the rows for the queue, and how many of them are of new URLs. The others lower the depth of a
-- known URL, without those that `is_needless` accepts.
local function learn_rows(known, all, is_needless)
  local hashes, depths = {}, {}
  for at, row in ipairs(all) do
    hashes[at] = struct.unpack('>I7', row)
    depths[at] = row_depth(row)
  end
  local new, lowered = learn(known, hashes, depths)
  local rows, count = {}, 0
  for at, hash in ipairs(hashes) do
    if new[hash] == depths[at] then
      new[hash] = nil
      count = count + 1
      rows[#rows + 1] = all[at]
    elseif lowered[hash] == depths[at] then
      lowered[hash] = nil
      if not (is_needless and is_needless(hash)) then rows[#rows + 1] = flagged(all[at], LOWERS) end
    end
  end
  return rows, count
end
