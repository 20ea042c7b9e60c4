-- A worker leaves. ARGV: number, nonce. Its number and its last report stay.
local mine = redis.call('HGET', KEYS[1] .. 'b', ARGV[1])
if not mine or string.match(mine, '^%d+|(%x+)|') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1] .. 'b', ARGV[1])
return 1
