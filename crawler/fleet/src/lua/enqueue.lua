-- URLs that wait: ARGV are rows, each beginning with the hash of its URL. Anyone may call it; a known URL changes nothing.
local m = redis.call('HMGET', M, 'n', 'N', 'a')
local known = open_set('k', m[1], m[2])
local rows = {}
for _, row in ipairs(ARGV) do
  if add(known, (struct.unpack('>I7', row))) then rows[#rows + 1] = row end
end
if #rows > 0 then
  for first = 1, #rows, 1000 do
    redis.call('RPUSH', P .. 'q', unpack(rows, first, math.min(first + 999, #rows)))
  end
  redis.call('HMSET', M, 'n', known.count, 'N', known.buckets, 'a', tonumber(m[3] or 0) + #rows)
else
  -- A write, so that whoever repeats a call over another connection waits until a replica has what the first one wrote.
  redis.call('HINCRBY', M, 'r', 1)
end
return #rows
