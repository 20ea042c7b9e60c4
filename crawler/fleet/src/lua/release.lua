-- The owner gives a partition up. ARGV: worker, epoch. The worker stays noted as the last owner.
local M = KEYS[1] .. 'm'
local m = redis.call('HMGET', M, 'w', 'e')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then return 0 end
redis.call('HSET', M, 'x', 0)
return 1
