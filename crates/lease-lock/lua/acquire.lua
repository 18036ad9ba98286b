-- Take the lease of a resource for one holder, or mint a higher fence into the lease that it holds.
--
-- KEYS[1]  the lease: "<fence>:<holder>", or "next:<waiter>" while it is reserved; always with a TTL
-- KEYS[2]  the fence counter of the resource's bucket: the last fence minted, never with a TTL
-- KEYS[3]  the queue of those who wait for the lease (queue.lua)
-- ARGV[1]  the holder
-- ARGV[2]  the TTL of a new lease in ms; "" takes no new lease (the holder only remints)
-- ARGV[3]  the floor that the fence must exceed; "" or absent for none
-- ARGV[4]  the least counter that may still be raised to that floor; "" or absent for none
-- ARGV[5]  the waiter that this holder is in the queue; absent where it does not wait
-- ARGV[6]  for how many ms more it waits; 0 takes it out of the queue
-- ARGV[7]  how many may wait
--
-- RETURNS one text: a word, then its decimal numbers, with a space between
--   minted <fence>            the lease is new, with the whole TTL
--   reminted <fence> <ms>     the holder's own lease has a new fence, and the ms that it had left
--   yours <fence> <ms>        the holder has the lease already: the same fence, the ms that are left
--   held <fence> <ms>         another holder has it
--   reserved <ms>             it is free, but it is another waiter's turn, for so many ms
--   queued <ms> first|behind  the waiter has a place; the ms are those of `held` or `reserved`, and
--                             `first` says that the first in the queue is of the same client
--   full <waiters>            another holder has it, and there is no place left
--   expired                   there is no lease to remint into
--   missing                   no counter and no floor: nothing was minted
--   unusable type|text|range  the counter is no string, not a number, or no fence
--   far [<counter>]           the floor is too far above the counter, or too high to start one from
--   exhausted                 the counter (or the floor) has reached the greatest fence
--   foreign                   the lease's key holds something that no script of ours writes
--
-- ATOMIC because the fence must be minted only where the lease is free, and the lease must be set
-- only under a fence that nobody else has. The counter is judged before anything is set, and
-- incremented before the lease is set: a broken counter leaves no lease behind. And because a
-- release between "it is held" and "wake me" would wake nobody.
--
-- Fences are text here, never Lua numbers. A Lua number is a double: above 2^53 the reply of INCR is
-- rounded, and two holders would get one fence. So INCR's reply is dropped and GET asked. The reply
-- is one text and not a table, because building and reading a table costs a tenth of the whole call.

local LAST = '4611686018427387903' -- 2^62 - 1, the greatest fence
local LEAP = '2305843009213693952' -- 2^61, the greatest floor that a new counter may start from

-- Both are decimals without leading zeros: the longer one is greater, else the text decides.
local function less(a, b)
  if #a ~= #b then
    return #a < #b
  end
  return a < b
end

local holder, ttl, floor, least = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local waiter, wait, places = ARGV[5], ARGV[6], ARGV[7]
if floor == '' then
  floor = nil
end

-- 1. The lease: free, ours, another's, or reserved. An error other than a wrong type (READONLY,
-- NOPERM) is the server's own answer and passes through as it is; so it is with the counter.
local lease, left = redis.pcall('GET', KEYS[1]), nil
local refusal -- why not now
if lease then
  if type(lease) == 'table' then
    return string.find(lease.err, 'WRONGTYPE', 1, true) and 'foreign' or lease
  end
  local fence, owner = string.match(lease, '^([1-9]%d*):(.+)$')
  local next = not fence and string.match(lease, '^next:(.+)$')
  left = redis.call('PTTL', KEYS[1])
  if not (fence or next) or left < 0 then
    return 'foreign'
  end
  left = string.format(' %.0f', left)
  if next then
    if ttl == '' then
      return 'expired'
    elseif next ~= waiter then
      refusal = 'reserved'
    end
    lease = nil
  elseif owner ~= holder then
    refusal = 'held ' .. fence
  elseif not floor or less(floor, fence) then
    return 'yours ' .. fence .. left
  end
elseif ttl == '' then
  return 'expired'
elseif redis.call('EXISTS', KEYS[3]) == 1 then
  -- Free, and nobody was woken: the last holder has let it expire. Whoever comes now sees to it
  -- that the first in the queue gets it.
  local wake_next = queue_of(KEYS[1], KEYS[3])
  local turn = wake_next(waiter)
  if turn and turn ~= waiter then
    refusal, left = 'reserved', ' ' .. RESERVED
  end
end

-- Not now: says so, and gives a waiter its place.
if refusal and not waiter then
  return refusal .. left
elseif refusal and wait == '0' then
  redis.call('ZREM', KEYS[3], waiter)
  return refusal .. left
elseif refusal then
  local _, _, parts = queue_of(KEYS[1], KEYS[3])
  local queue = KEYS[3]
  if not redis.call('ZSCORE', queue, waiter) then
    local waiting = redis.call('ZCARD', queue)
    if waiting >= tonumber(places) then
      return 'full ' .. waiting
    end
    local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2] or 0
    redis.call('ZADD', queue, last + 1, waiter)
  end
  -- The queue outlives its last waiter by no more than a second, however that one ends.
  if redis.call('PTTL', queue) < wait + 1000 then
    redis.call('PEXPIRE', queue, wait + 1000)
  end
  local _, first = parts(redis.call('ZRANGE', queue, 0, 0)[1])
  local _, mine = parts(waiter)
  return 'queued' .. left .. (first == mine and ' first' or ' behind')
end

-- 2. The counter: judged before anything is set. PERSIST, because a counter that expires is a
-- counter that starts again; reading and persisting is one command.
local counter = redis.pcall('GETEX', KEYS[2], 'PERSIST')
if counter then
  if type(counter) == 'table' then
    return string.find(counter.err, 'WRONGTYPE', 1, true) and 'unusable type' or counter
  end
  -- A counter of 0 or 007 was never left by INCR: somebody wrote it, and numbers would repeat.
  if not string.find(counter, '^[1-9]%d*$') then
    return string.find(counter, '^%d+$') and 'unusable range' or 'unusable text'
  end
  if less(LAST, counter) then
    return 'unusable range'
  end
  if floor and less(counter, least) then
    return 'far ' .. counter
  end
elseif not floor then
  return 'missing'
elseif less(LEAP, floor) then
  return 'far'
end

local raise = floor and (not counter or less(counter, floor))
if (raise and floor or counter) == LAST then
  return 'exhausted'
end

-- 3. The fence, then the lease.
if raise then
  redis.call('SET', KEYS[2], floor)
end
redis.call('INCR', KEYS[2])
local fence = redis.call('GET', KEYS[2])
if lease then
  redis.call('SET', KEYS[1], fence .. ':' .. holder, 'KEEPTTL')
  return 'reminted ' .. fence .. left
end
redis.call('SET', KEYS[1], fence .. ':' .. holder, 'PX', ttl)
if waiter and redis.call('ZREM', KEYS[3], waiter) == 1 then
  local _, tell_another = queue_of(KEYS[1], KEYS[3])
  tell_another(waiter, ttl)
end
return 'minted ' .. fence
