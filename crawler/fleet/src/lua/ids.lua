-- The order of the ids of items, ms-number.
local function parts(id)
  local ms, number = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(number)
end
local function is_before(one, other)
  local ms, number = parts(one)
  local other_ms, other_number = parts(other)
  return ms < other_ms or (ms == other_ms and number < other_number)
end
