-- The time of the server in ms.
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
