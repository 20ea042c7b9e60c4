-- Makes the index if there is none and it is to be made.
--
-- KEYS  meta
-- ARGV  1 format, 2 scheme, 3 layout, 4 rule, 5 "1" to make it
-- Returns format, scheme, layout and rule of the index; nothing if there is none.
if ARGV[5] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then
    -- `changes` begins with the time, so that an index made again never has a value that an earlier one had.
    local time = redis.call('TIME')
    redis.call('HSET', KEYS[1], 'format', ARGV[1], 'scheme', ARGV[2], 'layout', ARGV[3], 'rule', ARGV[4],
        'changes', time[1] .. string.format('%06d', time[2]))
end
return redis.call('HMGET', KEYS[1], 'format', 'scheme', 'layout', 'rule')
