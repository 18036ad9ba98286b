-- The queue of those who wait for one lease: what the other scripts share. It runs in front of them.
-- It is one function, so that a script that finds nobody waiting does not pay for what is inside.
--
-- The queue is a sorted set. A member is one waiter, "<number>@<channel>": its number within its
-- client, and the channel that its client listens on. The score is the order of arrival, from 1 on.
-- A waiter that has been woken stays at the head with score 0 until it takes the lease or leaves.
--
-- While a woken waiter is on its way, the lease's key holds "next:<waiter>" for RESERVED ms: nobody
-- else gets the lease, and it ends by itself. A head with score 0 in front of a free lease has let
-- that time pass: its client is dead or hung.
--
-- MESSAGES on a client's channel. A channel with a hash tag is a shard channel: in a Cluster, PUBLISH
-- would tell all nodes, and count those who heard it on this one only.
--   wake <number> <lease key>   the lease is reserved for this waiter
--   watch <ms> <lease key>      look at the lease in ms, unless something else happens before
--   again                       every waiter of this client has lost its place

local RESERVED = '500' -- ms
local NEIGHBOURS = 15  -- so many waiters are looked at for one of another client

-- RETURNS wake_next, tell_another and parts for this lease and its queue.
local function queue_of(lease, queue)
  local function parts(waiter)
    return string.match(waiter, '^(%d+)@(.*)$')
  end

  -- RETURNS how many have heard it, or an error.
  local function publish(channel, message)
    local command = string.find(channel, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'
    return redis.pcall(command, channel, message)
  end

  -- Asks one waiter of a client other than that of `waiter` to look at the lease in `ms`: should that
  -- client be hung, somebody notices. A client watches over its own waiters without being asked.
  local function tell_another(waiter, ms)
    local _, channel = parts(waiter)
    local near = redis.call('ZRANGE', queue, 0, NEIGHBOURS)
    if #near > NEIGHBOURS then
      near[#near + 1] = redis.call('ZRANGE', queue, -1, -1)[1]
    end
    for _, other in ipairs(near) do
      local _, its = parts(other)
      if its ~= channel then
        publish(its, 'watch ' .. ms .. ' ' .. lease)
        return
      end
    end
  end

  -- Takes every waiter of a client that listens and does nothing out of the queue: each of them would
  -- cost RESERVED ms. If it was only slow, it reads the message when it goes on, and its waiters queue
  -- again, at the end.
  local function drop_client(channel)
    for _, waiter in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
      local _, its = parts(waiter)
      if its == channel then
        redis.call('ZREM', queue, waiter)
      end
    end
    publish(channel, 'again')
  end

  -- Reserves a free lease for the first waiter that hears its wake, and returns that waiter. It
  -- returns `me` without a wake if `me` is the first, and nothing where nobody waits, or where this
  -- user may not publish: then there is no order to keep.
  local function wake_next(me)
    while true do
      local first = redis.pcall('ZRANGE', queue, 0, 0, 'WITHSCORES')
      local waiter, score = first[1], first[2]
      if not waiter or waiter == me then
        return waiter
      end
      local number, channel = parts(waiter)
      if not number then
        redis.call('ZREM', queue, waiter) -- nothing of ours
      elseif score == '0' and me and channel == select(2, parts(me)) then
        -- This client lives, so it is that one task which hangs: it alone queues again, at the end.
        redis.call('ZREM', queue, waiter)
        publish(channel, 'wake ' .. number .. ' ' .. lease)
      elseif score == '0' then
        drop_client(channel)
      else
        local heard = publish(channel, 'wake ' .. number .. ' ' .. lease)
        if type(heard) == 'table' then
          return nil
        elseif heard > 0 then
          redis.call('ZADD', queue, 0, waiter)
          redis.call('SET', lease, 'next:' .. waiter, 'PX', RESERVED)
          tell_another(waiter, RESERVED)
          return waiter
        end
        -- Nobody listens there any more. Its other waiters are found out in the same way, one at a time:
        -- to look for them now would be to read the whole queue for each client that is gone.
        redis.call('ZREM', queue, waiter)
      end
    end
  end

  return wake_next, tell_another, parts
end

