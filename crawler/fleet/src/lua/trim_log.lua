-- The items up to an id, which segments cover, leave the log. ARGV: the id.
local log = KEYS[1]
if is_before(redis.call('HGET', log .. 'p', 't') or '0-0', ARGV[1]) then return 0 end
if is_before(redis.call('HGET', log .. 'p', 'm') or '0-0', ARGV[1]) then
  local ms, number = parts(ARGV[1])
  redis.call('HSET', log .. 'p', 'm', ARGV[1])
  return redis.call('XTRIM', log .. 's', 'MINID', string.format('%.0f-%.0f', ms, number + 1))
end
return 0
