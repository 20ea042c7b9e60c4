-- A partition gets an owner. ARGV: worker, incarnation, another incarnation that has ended (or -).
-- Answer: 0 and the incarnation of the owner, if there is one that may live. Else the epoch, the first epoch since which no other worker has
-- owned it, whether URLs were finished in it before that, the end of its queue, and whether it has states of hosts.
local M = KEYS[1] .. 'm'
local m = redis.call('HMGET', M, 'w', 'e', 'o', 's', 'i', 'c', 'b')
local mine = m[1] == ARGV[1]
local owner = m[3] or ''
-- An earlier process of the same worker has ended, whatever its lease says.
if owner ~= '' and not mine and owner ~= ARGV[3] then return {0, owner} end
local time = redis.call('TIME')
-- The time in µs: a server that has lost the last grants does not give one of their epochs a second time.
local epoch = math.max(tonumber(m[2] or 0) + 1, time[1] * 1000000 + time[2])
local text = string.format('%.0f', epoch)
-- Kept here, because a worker repeats a claim whose answer did not come, and then was the owner already.
local since, inherits = m[4], m[5]
if not (mine and since) then
  since, inherits = text, tonumber(m[6] or 0) > 0 and '1' or '0'
end
-- The new owner has read nothing of the queue yet (p).
redis.call('HMSET', M, 'p', 0, 'w', ARGV[1], 'o', ARGV[2], 'e', text, 's', since, 'i', inherits)
local stop = tonumber(m[7] or 0) + redis.call('LLEN', KEYS[1] .. 'q')
return {epoch, tonumber(since), tonumber(inherits), stop, redis.call('EXISTS', KEYS[1] .. 'h')}
