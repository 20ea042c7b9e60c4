-- Shared by the scripts of a partition: its two sets of URL hashes, k (known) and d (done).
-- A set is many small sets of integers, because Redis keeps up to 512 integers in 8 bytes each, and takes eight times as much beyond.
-- The small sets grow by linear hashing: a set of n hashes has n / 200 of them, and one is split at a time, so that no call is slow.
-- Hashes have 53 bits, so that the numbers of Lua hold them exactly.
local P = KEYS[1]
local M = P .. 'm'

local function open_set(name, count, buckets)
  buckets = tonumber(buckets or 1)
  local top = 1
  while top * 2 <= buckets do top = top * 2 end
  return {prefix = P .. name, count = tonumber(count or 0), buckets = buckets, top = top}
end

local function bucket(set, hash)
  local index = hash % (set.top * 2)
  if index >= set.buckets then index = index - set.top end
  return set.prefix .. index
end

local function has(set, hash)
  return redis.call('SISMEMBER', bucket(set, hash), hash) == 1
end

local function split(set)
  local from = set.buckets - set.top
  local modulus = set.top * 2
  local moved = {}
  for _, member in ipairs(redis.call('SMEMBERS', set.prefix .. from)) do
    if tonumber(member) % modulus ~= from then moved[#moved + 1] = member end
  end
  if #moved > 0 then
    redis.call('SREM', set.prefix .. from, unpack(moved))
    redis.call('SADD', set.prefix .. set.buckets, unpack(moved))
  end
  set.buckets = set.buckets + 1
  if set.buckets == modulus then set.top = modulus end
end

-- Whether the hash is new in the set.
local function add(set, hash)
  if redis.call('SADD', bucket(set, hash), hash) == 0 then return false end
  set.count = set.count + 1
  if set.count > set.buckets * 200 then split(set) end
  return true
end

