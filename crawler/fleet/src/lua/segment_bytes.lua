-- The bytes of the pieces of a segment. ARGV: number of pieces.
local bytes = 0
for piece = 0, ARGV[1] - 1 do bytes = bytes + redis.call('STRLEN', KEYS[1] .. piece) end
return bytes
