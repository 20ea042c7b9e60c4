-- The memory of the log in bytes.
return redis.call('MEMORY', 'USAGE', KEYS[1] .. 's') or 0
