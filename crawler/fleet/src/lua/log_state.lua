-- How long the log is. Answer: id of the last item that counts ('' if there is none), entries that no segment covers.
local log = KEYS[1]
local covered = tonumber(redis.call('HGET', log .. 'p', 'd') or 0)
return {redis.call('GET', log .. 'c') or '', math.max(0, tonumber(redis.call('GET', log .. 'n') or 0) - covered)}
