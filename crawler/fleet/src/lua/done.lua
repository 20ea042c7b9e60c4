-- Which URLs are finished. ARGV: hashes, 7 bytes each. Answer: a string of 0 and 1.
local m = redis.call('HMGET', M, 'c', 'C')
local done = open_set('d', m[1], m[2])
local answer = {}
for at = 1, #ARGV[1], 7 do
  answer[#answer + 1] = has(done, (struct.unpack('>I7', ARGV[1], at))) and '1' or '0'
end
return table.concat(answer)
