-- The draft of a segment will not be finished: another worker may begin one at once. ARGV: number of the draft, and 1 if the draft may have
-- left something, which the next worker removes.
local p = KEYS[1] .. 'p'
if redis.call('HGET', p, 'e') ~= ARGV[1] then return 0 end
if ARGV[2] == '1' then return redis.call('HDEL', p, 'who', 'until') end
return redis.call('HDEL', p, 'who', 'until', 'draft')
