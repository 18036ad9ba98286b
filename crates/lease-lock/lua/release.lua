-- Give a lease back, if it is still ours.
--
-- KEYS[1]  the lease: "<fence>:<holder>"
-- ARGV[1]  the value that it must have; or the holder alone, where an attempt is given up whose reply
--          was lost, so that nobody knows its fence
--
-- RETURNS one text: a word, then its decimal numbers, with a space between
--   released
--   expired        nobody has the lease
--   taken <fence>  another acquisition has it; it stays as it is
--   foreign        the key holds something that no script of ours writes; it stays as it is
--
-- ATOMIC because between a GET and a DEL of the client the lease can expire and be granted again:
-- a plain DEL of a late holder would free its successor's lease.
--
-- Newer servers can compare and delete in one command (DELEX ... IFEQ, DELIFEQ). This stays a
-- script, because waking the next waiter has to be atomic with the delete.

local lease = redis.pcall('GET', KEYS[1])
if lease == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'released'
end
if not lease then
  return 'expired'
end
if type(lease) == 'table' then
  return string.find(lease.err, 'WRONGTYPE', 1, true) and 'foreign' or lease
end
local fence, owner = string.match(lease, '^([1-9]%d*):(.+)$')
if not fence then
  return 'foreign'
end
if owner == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'released'
end
return 'taken ' .. fence
