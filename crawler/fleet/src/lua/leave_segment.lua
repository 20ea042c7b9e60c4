-- The draft of a segment will not be finished: another worker may begin one at once. ARGV: number of the draft.
local p = KEYS[1] .. 'p'
if redis.call('HGET', p, 'e') ~= ARGV[1] then return 0 end
return redis.call('HDEL', p, 'who', 'until', 'draft')
