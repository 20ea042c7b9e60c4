-- Which incarnations have ended. ARGV: incarnation of the asker, ms that it must have watched, incarnations. Answer: a string of 0 and 1.
--
-- An incarnation whose lease has run out ends here, for ever: its lease is gone, and only a worker that joins makes a new one. So whoever
-- gets the answer 1 may take its partitions. After the servers were away all leases have run out, although their workers live: so the
-- asker must have renewed its own in time for a while, in which the others could have renewed theirs.
local L = KEYS[1] .. 'l'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A write, so that the caller waits until a replica knows what has ended, whoever ended it.
redis.call('HINCRBY', KEYS[1] .. 'm', 'r', 1)
local mine = redis.call('HGET', L, ARGV[1])
local expiry, since = string.match(mine or '0|0', '^(%d+)|(%d+)')
local watches = tonumber(expiry) > now and tonumber(since) + tonumber(ARGV[2]) <= now
local answer = {}
for at = 3, #ARGV do
  local lease = mine and redis.call('HGET', L, ARGV[at])
  local ended = mine and not lease
  if lease and watches and tonumber(string.match(lease, '^%d+')) <= now then
    redis.call('HDEL', L, ARGV[at])
    ended = true
  end
  answer[#answer + 1] = ended and '1' or '0'
end
return table.concat(answer)
