-- A worker asks addresses. ARGV: its number, how long that counts in ms, the addresses.
-- Answer: for each address, how many workers ask it. An address is a sorted set: the numbers of its workers by the time at which they do not count
-- any more.
local P = KEYS[1] .. 's'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local workers = {}
for at = 3, #ARGV do
  local key = P .. ARGV[at]
  redis.call('ZADD', key, string.format('%d', now + tonumber(ARGV[2])), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))
  redis.call('PEXPIRE', key, ARGV[2])
  workers[#workers + 1] = redis.call('ZCARD', key)
end
return workers
