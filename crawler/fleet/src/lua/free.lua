-- Partitions that seem to have no owner, by the notes of the owners. ARGV: number of the worker, ms until a silent worker counts as
-- gone, number of partitions. Answer: two bytes each. A note may be wrong; the lease decides.
local P = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local live = {}
local beats = redis.call('HGETALL', P .. 'b')
for at = 1, #beats, 2 do
  if tonumber(string.match(beats[at + 1], '^%d+')) + tonumber(ARGV[2]) >= now then live[tonumber(beats[at])] = true end
end
local me = tonumber(ARGV[1])
live[me] = nil
local notes = redis.call('GET', P .. 'o') or ''
local free = {}
for partition = 0, tonumber(ARGV[3]) - 1 do
  local high, low = string.byte(notes, partition * 2 + 1, partition * 2 + 2)
  local owner = low and high * 256 + low or 0
  if not live[owner] then free[#free + 1] = struct.pack('>I2', partition) end
end
return table.concat(free)
