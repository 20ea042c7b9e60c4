-- Shared by the scripts of a partition: its two sets of URL hashes, k (known) and d (done).
-- A set is many small sets of integers, because Redis keeps up to 512 integers in 8 bytes each, and takes eight times as much beyond.
-- The small sets grow by linear hashing: a set of n hashes has n / 200 of them, and one is split at a time, so that no call is slow.
-- Hashes have 53 bits, so that the numbers of Lua hold them exactly.
local P = KEYS[1]
local M = P .. 'm'

-- An integer in digits. Redis writes a number as a double with 17 digits, which takes five times as long.
local function int(number)
  return string.format('%d', number)
end

local function open_set(name, count, buckets)
  buckets = tonumber(buckets or 1)
  local top = 1
  while top * 2 <= buckets do top = top * 2 end
  return {prefix = P .. name, count = tonumber(count or 0), buckets = buckets, top = top}
end

local function bucket(set, hash)
  local index = hash % (set.top * 2)
  if index >= set.buckets then index = index - set.top end
  return set.prefix .. int(index)
end

local function has(set, hash)
  return redis.call('SISMEMBER', bucket(set, hash), int(hash)) == 1
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
  set.buckets = set.buckets + 1
  if set.buckets == modulus then set.top = modulus end
end

-- Adds hashes. Answer: those that were new in the set, each as a key. Hashes of one small set take two commands together, not one each.
local function add_all(set, hashes)
  local groups, order = {}, {}
  local is_new = {}
  for _, hash in ipairs(hashes) do
    if not is_new[hash] then
      is_new[hash] = true
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
  while set.count > set.buckets * 200 do split(set) end
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

