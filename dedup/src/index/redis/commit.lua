-- Commits a verdict: adds a unique document to the index, and notes the verdict in the collection, in one step.
--
-- KEYS  meta, signatures, recent, ids, documents, then the tables of entries
-- ARGV   1 scheme, 2 layout, 3 rule: those that the caller opened the index with
--        4 value of `changes` before the caller read the index; "" to commit whatever has changed since
--        5 largest distance of near-duplicates in bits
--        6 summary of the document (see entries.rs)
--        7 number of the document, 8 bytes; "" for the next free number
--        8 id of the document in the collection, 9 its row there; "" without a collection
--       10 signature; "" for a duplicate, which does not enter the index
--       11 … place of a table in KEYS, bucket, word: one entry each
-- Returns {"done" | "known", number}, or {"other"} if the index was erased, or {"changed"} if another process has added a
-- document since that may change the verdict.
local CHUNK, RECENT = 4096, 1024

local meta = redis.call('HMGET', KEYS[1], 'scheme', 'layout', 'rule', 'changes')
if meta[1] ~= ARGV[1] or meta[2] ~= ARGV[2] or meta[3] ~= ARGV[3] then
    return {'other'}
end

local number, name = ARGV[7], ARGV[8]
if name ~= '' then
    local known = redis.call('HGET', KEYS[4], name)
    if known then
        return {'known', known}
    end
end
if number ~= '' and redis.call('HEXISTS', KEYS[2], number) == 1 then
    return {'known', number}
end

local ONES = {[0] = 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}

local function distance(a, b, from, to)
    local ones = 0
    for at = from, to do
        local difference = bit.bxor(a:byte(at), b:byte(at))
        ones = ones + ONES[difference % 16] + ONES[math.floor(difference / 16)]
    end
    return ones
end

-- Whether two documents may be duplicates.
local function is_near(a, b)
    if a:byte(1) == 1 and a:sub(1, 17) == b:sub(1, 17) then
        return true
    end
    local width = a:byte(18)
    if width > 0 and width == b:byte(18) and distance(a, b, 19, 18 + width) <= tonumber(ARGV[5]) then
        return true
    end
    local shingles = {}
    for at = 19 + width, #a, 8 do
        shingles[a:sub(at, at + 7)] = true
    end
    for at = 19 + b:byte(18), #b, 8 do
        if shingles[b:sub(at, at + 7)] then
            return true
        end
    end
    return false
end

local function has_changed()
    local since = tonumber(meta[4]) - tonumber(ARGV[4])
    if since == 0 then
        return false
    elseif since < 0 or since > RECENT then
        return true
    end
    for _, other in ipairs(redis.call('LRANGE', KEYS[3], -since, -1)) do
        if is_near(ARGV[6], other) then
            return true
        end
    end
    return false
end

if ARGV[4] ~= '' and has_changed() then
    return {'changed'}
end

-- Adds an entry to a bucket. A value is the number of full chunks, 4 bytes, and the entries of the open chunk.
local function add(entries, bucket, entry)
    local value = redis.call('HGET', entries, bucket)
    if not value then
        value = '\0\0\0\0' .. entry
    elseif #value + #entry > CHUNK then
        local full = struct.unpack('<I4', value)
        redis.call('HSET', entries, bucket .. struct.pack('<I4', full), value:sub(5))
        value = struct.pack('<I4', full + 1) .. entry
    else
        value = value .. entry
    end
    redis.call('HSET', entries, bucket, value)
end

if number == '' then
    number = struct.pack('>I8', redis.call('HINCRBY', KEYS[1], 'next', 1))
end
if ARGV[10] ~= '' then
    redis.call('HSET', KEYS[2], number, ARGV[10])
    for at = 11, #ARGV, 3 do
        add(KEYS[tonumber(ARGV[at])], ARGV[at + 1], ARGV[at + 2] .. number)
    end
    redis.call('RPUSH', KEYS[3], ARGV[6])
    redis.call('LTRIM', KEYS[3], -RECENT, -1)
    redis.call('HINCRBY', KEYS[1], 'changes', 1)
end
if name ~= '' then
    redis.call('HSET', KEYS[4], name, number)
    redis.call('HSET', KEYS[5], number, ARGV[9])
end
return {'done', number}
