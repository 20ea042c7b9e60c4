-- The mark of the object store in which the workers keep segments. ARGV: how the places of this worker's store begin, and the place of a mark
-- that it has written ('' if it has written none). Answer: the place of the mark of all workers; '' if there is none in a store of this name.
local p = KEYS[1] .. 'p'
local known = redis.call('HGET', p, 'mark')
if known and string.sub(known, 1, #ARGV[1]) == ARGV[1] then
  -- A write, so that whoever repeats the call waits until a replica has what the first one wrote.
  redis.call('HINCRBY', p, 'r', 1)
  return known
end
if ARGV[2] ~= '' then redis.call('HSET', p, 'mark', ARGV[2]) end
return ARGV[2]
