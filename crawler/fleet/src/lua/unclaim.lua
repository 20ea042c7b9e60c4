-- A claim whose answer did not come is taken back. ARGV: incarnation, the epoch that it holds (0: none).
local M = KEYS[1] .. 'm'
local m = redis.call('HMGET', M, 'o', 'e')
if m[1] == ARGV[1] and m[2] ~= ARGV[2] then redis.call('HSET', M, 'o', '') else redis.call('HINCRBY', M, 'r', 1) end
return 1
