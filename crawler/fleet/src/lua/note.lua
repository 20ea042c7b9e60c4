-- Notes of the owners, for those who look for a free partition. ARGV: worker, 1 if it owns them now and 0 if no more, partitions.
local key = KEYS[1] .. 'o'
local mine = struct.pack('>I2', tonumber(ARGV[1]))
for at = 1, #ARGV[3], 2 do
  local offset = struct.unpack('>I2', ARGV[3], at) * 2
  if ARGV[2] == '1' then
    redis.call('SETRANGE', key, offset, mine)
  elseif redis.call('GETRANGE', key, offset, offset + 1) == mine then
    redis.call('SETRANGE', key, offset, '\0\0')
  end
end
return 1
