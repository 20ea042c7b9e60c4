-- Removes all documents.
--
-- KEYS  meta, then all other keys of the index
-- ARGV  1 scheme, 2 layout, 3 rule
-- Returns "done", or "other" if the index was erased.
local meta = redis.call('HMGET', KEYS[1], 'scheme', 'layout', 'rule')
if meta[1] ~= ARGV[1] or meta[2] ~= ARGV[2] or meta[3] ~= ARGV[3] then
    return 'other'
end
for at = 2, #KEYS do
    redis.call('UNLINK', KEYS[at])
end
-- More than the recent changes that the index keeps: whoever is deciding reads the index again.
redis.call('HINCRBY', KEYS[1], 'changes', 1000000)
return 'done'
