-- Items at the end of the log. ARGV: 1 if they count at once, number of entries, then items. Answer: the id of the last item.
local id
for at = 3, #ARGV do
  id = redis.call('XADD', KEYS[1] .. 's', '*', 'e', ARGV[at])
end
redis.call('INCRBY', KEYS[1] .. 'n', ARGV[2])
if ARGV[1] == '1' then redis.call('SET', KEYS[1] .. 'c', id) end
return id
