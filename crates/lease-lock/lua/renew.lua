-- Replace the TTL of a lease that is still exactly ours.
--
-- KEYS[1]  the lease: "<fence>:<holder>", or "next:<waiter>" while it is reserved
-- ARGV[1]  the value that it must have
-- ARGV[2]  the new TTL in ms, counted from now: it replaces what is left, it is not added to it
--
-- RETURNS one text: a word, then its decimal numbers, with a space between
--   renewed
--   expired        nobody has the lease; it is not taken again, that would be an acquisition
--   taken <fence>  another acquisition has it
--   foreign        the key holds something that no script of ours writes
--
-- ATOMIC because between a GET and a PEXPIRE of the client the lease can expire and be granted
-- again: the PEXPIRE would then prolong the successor's lease.

local lease = redis.pcall('GET', KEYS[1])
if lease == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 'renewed'
end
if not lease then
  return 'expired'
end
if type(lease) == 'table' then
  return string.find(lease.err, 'WRONGTYPE', 1, true) and 'foreign' or lease
end
local fence = string.match(lease, '^([1-9]%d*):.+$')
if fence then
  return 'taken ' .. fence
end
return string.find(lease, '^next:') and 'expired' or 'foreign'
