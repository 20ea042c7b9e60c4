-- A data folder joins. ARGV: folder, terms, crawl that the folder remembers (or -), a new id for the crawl, a new incarnation, length of its
-- lease in ms, rules, and what the folder remembers of the crawl: its number (0: none), the highest number of a worker, and the workers that
-- were forgotten (,3,7,); then those of the changed rules that count (a line each: key, tab, value). Answer: number (0: refused), id of the crawl, terms of the crawl, rules of the live workers, life of the crawl,
-- why a folder of this crawl is refused: its worker was forgotten, or another folder has its number (taken); and the rules that the user has
-- changed, as far as the rules were compared. What a worker brings for those that count is not compared.
--
-- A folder that remembers its number brings a crawl back that the servers have lost: the crawl keeps its id, and gets another life. Until
-- all workers are back (m: back), nobody takes a partition; see beat.lua.
local P = KEYS[1]
local m = redis.call('HMGET', P .. 'm', 'id', 'terms', 'last', 'rules', 'life', 'forgotten', 'back', 'changed')
local id, terms, life, forgotten, back = m[1], m[2], m[5] or '', m[6] or ',', m[7]
local last = tonumber(m[3] or 0)
local remembers, was = ARGV[3] ~= '-', tonumber(ARGV[8])
if not id then
  if remembers and was == 0 then return {0, '', '', '', '', ''} end
  id, terms = remembers and ARGV[3] or ARGV[4], ARGV[2]
  redis.call('HSET', P .. 'm', 'id', id, 'terms', terms)
  if remembers then
    life, back = ARGV[4], ','
    redis.call('HSET', P .. 'm', 'life', life, 'back', back)
  end
end
if terms ~= ARGV[2] or (remembers and ARGV[3] ~= id) then return {0, id, terms, ARGV[7], life, ''} end
if back and remembers then
  for number in string.gmatch(ARGV[10], '%d+') do
    if not string.find(forgotten, ',' .. number .. ',', 1, true) then forgotten = forgotten .. number .. ',' end
  end
  last = math.max(last, was, tonumber(ARGV[9]))
  redis.call('HSET', P .. 'm', 'forgotten', forgotten, 'last', last)
end
local number = redis.call('HGET', P .. 'f', ARGV[1])
local is_known = number
if not number and remembers then
  if was == 0 then return {0, '', '', '', '', ''} end
  for _, other in ipairs(redis.call('HVALS', P .. 'f')) do
    if other == ARGV[8] then return {0, id, terms, ARGV[7], life, 'taken'} end
  end
  number = ARGV[8]
end
if number and string.find(forgotten, ',' .. number .. ',', 1, true) then return {0, id, terms, ARGV[7], life, 'forgotten'} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local changes, changed = m[8] or '', {}
local lines = '\n' .. changes .. '\n'
for line in string.gmatch(ARGV[11], '[^\n]+') do
  if string.find(lines, '\n' .. line .. '\n', 1, true) then changed[string.match(line, '^[^\t]*')] = true end
end
local function unchanged(rules)
  local kept = {}
  for line in string.gmatch(rules, '[^\n]+') do
    if not changed[string.match(line, '^[^\t]*')] then kept[#kept + 1] = line end
  end
  return table.concat(kept, '\n')
end
local rules = m[4]
if rules ~= ARGV[7] then
  local beats, others_live = redis.call('HGETALL', P .. 'b'), false
  for at = 1, #beats, 2 do
    local lives = tonumber(string.match(beats[at + 1], '^%d+')) + tonumber(ARGV[6]) >= now
    others_live = others_live or lives and beats[at] ~= number
  end
  if not others_live then
    rules = ARGV[7]
    redis.call('HSET', P .. 'm', 'rules', rules)
  elseif not rules or unchanged(rules) ~= unchanged(ARGV[7]) then
    return {0, id, terms, rules or '', life, '', changes}
  end
end
if not number then
  if last >= 65535 then return {0, id, terms, ARGV[7], life, ''} end
  last = last + 1
  number = tostring(last)
  redis.call('HSET', P .. 'm', 'last', last)
  -- A new folder has nothing to bring back.
  if back then redis.call('HSET', P .. 'm', 'back', back .. number .. ',') end
elseif not is_known and last < was then
  redis.call('HSET', P .. 'm', 'last', was)
end
if not is_known then redis.call('HSET', P .. 'f', ARGV[1], number) end
-- An earlier incarnation of the worker keeps its lease until that runs out: its process may not know yet that it was replaced.
redis.call('HSET', P .. 'l', ARGV[5], (now + tonumber(ARGV[6])) .. '|' .. now .. '|' .. number)
redis.call('HSET', P .. 'b', number, now .. '|' .. ARGV[5] .. '|2|0')
-- A new owner reads its queues from their beginning.
redis.call('DEL', P .. 'e', P .. 'n' .. number)
return {tonumber(number), id, terms, rules, life, '', changes}
