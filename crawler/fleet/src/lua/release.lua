-- The owner gives a partition up. ARGV: worker, epoch. The worker stays noted as the last owner.
local M = KEYS[1] .. 'm'
local m = redis.call('HMGET', M, 'w', 'e')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then
  -- A write, so that whoever repeats a call over another connection waits until a replica has what the first one wrote.
  redis.call('HINCRBY', M, 'r', 1)
  return 0
end
redis.call('HSET', M, 'o', '')
return 1
