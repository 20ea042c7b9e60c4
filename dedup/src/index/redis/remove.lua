-- Removes a document from the index.
--
-- KEYS  meta, signatures, then the tables of entries at the same places as in commit.lua
-- ARGV  1 scheme, 2 layout, 3 rule, 4 number, 5 signature, 6 … place of a table in KEYS, bucket, word: one entry each
-- Returns "done", "other" if the index was erased, or "changed" if the document has another signature now.
local meta = redis.call('HMGET', KEYS[1], 'scheme', 'layout', 'rule')
if meta[1] ~= ARGV[1] or meta[2] ~= ARGV[2] or meta[3] ~= ARGV[3] then
    return 'other'
end
local number = ARGV[4]
if redis.call('HGET', KEYS[2], number) ~= ARGV[5] then
    return 'changed'
end

-- The entries without one of them; nil if it is not there.
local function without(value, from, entry)
    for at = from, #value - #entry + 1, #entry do
        if value:sub(at, at + #entry - 1) == entry then
            return value:sub(1, at - 1) .. value:sub(at + #entry)
        end
    end
end

local function take(entries, bucket, entry)
    local value = redis.call('HGET', entries, bucket)
    if not value then
        return
    end
    local full = struct.unpack('<I4', value)
    local rest = without(value, 5, entry)
    if rest then
        if #rest == 4 and full == 0 then
            redis.call('HDEL', entries, bucket)
        else
            redis.call('HSET', entries, bucket, rest)
        end
        return
    end
    for chunk = 0, full - 1 do
        local field = bucket .. struct.pack('<I4', chunk)
        value = redis.call('HGET', entries, field)
        rest = value and without(value, 1, entry)
        if rest then
            if #rest == 0 then
                redis.call('HDEL', entries, field)
            else
                redis.call('HSET', entries, field, rest)
            end
            return
        end
    end
end

redis.call('HDEL', KEYS[2], number)
for at = 6, #ARGV, 3 do
    take(KEYS[tonumber(ARGV[at])], ARGV[at + 1], ARGV[at + 2] .. number)
end
return 'done'
