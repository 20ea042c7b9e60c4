-- Removes the pieces of a segment that nobody names.
local piece = 0
while redis.call('UNLINK', KEYS[1] .. piece) == 1 do piece = piece + 1 end
return piece
