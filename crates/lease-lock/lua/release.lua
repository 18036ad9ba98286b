-- Give a lease back, if it is still ours, and wake the first of those who wait for it.
--
-- KEYS[1]  the lease: "<fence>:<holder>", or "next:<waiter>" while it is reserved
-- KEYS[2]  the queue of those who wait for the lease (queue.lua)
-- ARGV[1]  the value that it must have; or the holder alone, where an attempt is given up whose reply
--          was lost, so that nobody knows its fence
--
-- RETURNS one text: a word, then its decimal numbers, with a space between
--   released
--   expired        nobody has the lease; a reservation for a waiter is no lease
--   taken <fence>  another acquisition has it; it stays as it is
--   foreign        the key holds something that no script of ours writes; it stays as it is
--
-- ATOMIC because between a GET and a DEL of the client the lease can expire and be granted again:
-- a plain DEL of a late holder would free its successor's lease. And because between a delete and a
-- wake somebody else would take the lease, past all who wait.
--
-- Newer servers can compare and delete in one command (DELEX ... IFEQ, DELIFEQ). This stays a
-- script, because waking the next waiter has to be atomic with the delete.

local lease = redis.pcall('GET', KEYS[1])
if lease and lease ~= ARGV[1] then
  if type(lease) == 'table' then
    return string.find(lease.err, 'WRONGTYPE', 1, true) and 'foreign' or lease
  end
  local fence, owner = string.match(lease, '^([1-9]%d*):(.+)$')
  if not fence then
    return string.find(lease, '^next:') and 'expired' or 'foreign'
  elseif owner ~= ARGV[1] then
    return 'taken ' .. fence
  end
end

-- It is ours, or nobody's.
if lease then
  redis.call('DEL', KEYS[1])
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  local wake_next = queue_of(KEYS[1], KEYS[2])
  wake_next()
end
return lease and 'released' or 'expired'
