-- A worker leaves: its incarnation ends, so everyone may take its partitions. ARGV: number, incarnation. Its number and its last report stay.
local P = KEYS[1]
redis.call('HDEL', P .. 'l', ARGV[2])
redis.call('HINCRBY', P .. 'm', 'r', 1)
local mine = redis.call('HGET', P .. 'b', ARGV[1])
if not mine or string.match(mine, '^%d+|(%x+)|') ~= ARGV[2] then return 0 end
redis.call('HDEL', P .. 'b', ARGV[1])
redis.call('DEL', P .. 'n' .. ARGV[1])
return 1
