-- The user changes rules of a crawl that runs. ARGV: keys, each with its value; an empty value takes the change of the key back.
-- Answer: 1 if there is such a crawl, else 0; and all changes, a line each: key, tab, value.
local P = KEYS[1]
local m = redis.call('HMGET', P .. 'm', 'id', 'changed')
if not m[1] then return {0, ''} end
local values, keys, lines = {}, {}, {}
for key, value in string.gmatch(m[2] or '', '([^\t\n]+)\t([^\n]*)') do values[key] = value end
for at = 1, #ARGV, 2 do values[ARGV[at]] = ARGV[at + 1] ~= '' and ARGV[at + 1] or nil end
for key in pairs(values) do keys[#keys + 1] = key end
table.sort(keys)
for at, key in ipairs(keys) do lines[at] = key .. '\t' .. values[key] end
local changed = table.concat(lines, '\n')
redis.call('HSET', P .. 'm', 'changed', changed)
return {1, changed}
