-- A worker has brought back what its data folder knows, after the servers had lost the crawl. ARGV: its number.
local M = KEYS[1] .. 'm'
local back = redis.call('HGET', M, 'back')
if back and not string.find(back, ',' .. ARGV[1] .. ',', 1, true) then
  redis.call('HSET', M, 'back', back .. ARGV[1] .. ',')
else
  -- A write, so that whoever repeats a call over another connection waits until a replica has what the first one wrote.
  redis.call('HINCRBY', M, 'r', 1)
end
return 1
