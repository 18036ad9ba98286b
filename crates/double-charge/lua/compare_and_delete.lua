-- The article's second lock: delete it only if it is still mine. It keeps a late holder from freeing its
-- successor's lock; it does not keep it from writing.
-- KEYS[1] the lock   ARGV[1] my value   RETURNS 1 if it was mine, else 0
-- Atomic, because the lock could expire and be taken between the look and the delete.
if redis.call('get', KEYS[1]) == ARGV[1] then
    return redis.call('del', KEYS[1])
end
return 0
