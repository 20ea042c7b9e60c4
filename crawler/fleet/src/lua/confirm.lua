-- All items up to an id count from now on. ARGV: the id. Answer 0 if the log does not hold it: a server that took over has lost it.
local stream = KEYS[1] .. 's'
if #redis.call('XRANGE', stream, ARGV[1], ARGV[1]) == 0 then return 0 end
local function parts(id)
  local ms, seq = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(seq)
end
local ms, seq = parts(ARGV[1])
local was_ms, was_seq = parts(redis.call('GET', KEYS[1] .. 'c') or '0-0')
if ms > was_ms or (ms == was_ms and seq > was_seq) then redis.call('SET', KEYS[1] .. 'c', ARGV[1]) end
return 1
