-- All items up to an id count from now on. ARGV: the id. Answer 0 if the log does not hold it: a server that took over has lost it.
-- An item that segments cover has counted.
if not is_before(redis.call('HGET', KEYS[1] .. 'p', 't') or '0-0', ARGV[1]) then return 1 end
if #redis.call('XRANGE', KEYS[1] .. 's', ARGV[1], ARGV[1]) == 0 then return 0 end
if is_before(redis.call('GET', KEYS[1] .. 'c') or '0-0', ARGV[1]) then redis.call('SET', KEYS[1] .. 'c', ARGV[1]) end
return 1
