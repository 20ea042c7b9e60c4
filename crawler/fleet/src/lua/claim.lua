-- A lease of a partition. ARGV: worker, length in ms. Answer: the epoch, the first epoch since which nobody else has had it, and whether
-- URLs were finished in it before that; 0 if another has it.
local M = KEYS[1] .. 'm'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local m = redis.call('HMGET', M, 'w', 'e', 'x', 's', 'i', 'c')
local mine = m[1] == ARGV[1]
if m[1] and not mine and tonumber(m[3]) > now then return {0, 0, 0} end
-- The time in µs: a server that has lost the last grants does not give one of their epochs a second time.
local epoch = math.max(tonumber(m[2] or 0) + 1, time[1] * 1000000 + time[2])
local text = string.format('%.0f', epoch)
-- Kept here, because a worker repeats a claim whose answer did not come, and then was the owner already.
local since, inherits = m[4], m[5]
if not (mine and since) then
  since, inherits = text, tonumber(m[6] or 0) > 0 and '1' or '0'
end
-- The new owner has read nothing of the queue yet (p).
redis.call('HMSET', M, 'p', 0, 'w', ARGV[1], 'e', text, 'x', now + tonumber(ARGV[2]), 's', since, 'i', inherits)
return {epoch, tonumber(since), tonumber(inherits)}
