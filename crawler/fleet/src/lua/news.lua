-- Queues have rows that their owners have not read. ARGV: number of a worker and its partitions (two bytes each), and so on.
local P = KEYS[1]
local number = redis.call('HINCRBY', P .. 'm', 'news', 1)
for at = 1, #ARGV, 2 do
  for from = 1, #ARGV[at + 1], 2 do
    redis.call('ZADD', P .. 'n' .. ARGV[at], number, (struct.unpack('>I2', ARGV[at + 1], from)))
  end
end
return number
