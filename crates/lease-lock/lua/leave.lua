-- Take a waiter out of the queue whose caller no longer waits. What was its turn is the next one's.
--
-- KEYS[1]  the lease: "<fence>:<holder>", or "next:<waiter>" while it is reserved
-- KEYS[2]  the queue of those who wait for the lease (queue.lua)
-- ARGV[1]  the waiter
-- ARGV[2]  its holder, where an acquisition was under way whose reply nobody will read; else absent
--
-- RETURNS one text
--   left      the lease is not this waiter's
--   released  it was: reserved for it, or taken by it
--
-- ATOMIC because the wake may have come first. Then the lease is reserved for a waiter that is gone,
-- and only whoever sees both in one step can pass it on without letting anybody else in between.

local wake_next = queue_of(KEYS[1], KEYS[2])
redis.pcall('ZREM', KEYS[2], ARGV[1])
local lease = redis.pcall('GET', KEYS[1])
if not lease then
  wake_next()
end
if type(lease) ~= 'string' then
  return 'left'
end
local owner = string.match(lease, '^[1-9]%d*:(.+)$')
if lease == 'next:' .. ARGV[1] or (owner and owner == ARGV[2]) then
  redis.call('DEL', KEYS[1])
  wake_next()
  return 'released'
end
return 'left'
