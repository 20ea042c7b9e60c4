-- A data folder joins. ARGV: folder, terms, crawl that the folder remembers (or -), a new id for the crawl, a new incarnation, length of its
-- lease in ms, rules. Answer: number (0: refused), id of the crawl, terms of the crawl, rules of the live workers.
local P = KEYS[1]
local m = redis.call('HMGET', P .. 'm', 'id', 'terms', 'last', 'rules')
local id, terms = m[1], m[2]
if not id then
  -- A folder that remembers a crawl does not begin another: the servers have lost theirs.
  if ARGV[3] ~= '-' then return {0, '', '', ''} end
  id, terms = ARGV[4], ARGV[2]
  redis.call('HSET', P .. 'm', 'id', id, 'terms', terms)
end
if terms ~= ARGV[2] or (ARGV[3] ~= '-' and ARGV[3] ~= id) then return {0, id, terms, ARGV[7]} end
local number = redis.call('HGET', P .. 'f', ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if m[4] ~= ARGV[7] then
  local beats = redis.call('HGETALL', P .. 'b')
  for at = 1, #beats, 2 do
    local lives = tonumber(string.match(beats[at + 1], '^%d+')) + tonumber(ARGV[6]) >= now
    if lives and beats[at] ~= number then return {0, id, terms, m[4] or ''} end
  end
  redis.call('HSET', P .. 'm', 'rules', ARGV[7])
end
if not number then
  if tonumber(m[3] or 0) >= 65535 then return {0, id, terms, ARGV[7]} end
  number = tostring(redis.call('HINCRBY', P .. 'm', 'last', 1))
  redis.call('HSET', P .. 'f', ARGV[1], number)
end
-- An earlier incarnation of the worker keeps its lease until that runs out: its process may not know yet that it was replaced.
redis.call('HSET', P .. 'l', ARGV[5], (now + tonumber(ARGV[6])) .. '|' .. now .. '|' .. number)
redis.call('HSET', P .. 'b', number, now .. '|' .. ARGV[5] .. '|2|0')
-- A new owner reads its queues from their beginning.
redis.call('DEL', P .. 'e', P .. 'n' .. number)
return {tonumber(number), id, terms, ARGV[7]}
