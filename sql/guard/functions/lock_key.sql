-- fence.lock_key: the advisory lock of a resource, taken before its row by everybody (shared by
-- writers, exclusive by open and close).
--
-- Safety does not need it: the row lock is the guard. It is there because row locks are not fair:
-- sharers go on joining each other while an opening waits. The queue of a heavyweight lock is fair. And
-- the first openings of a resource, which has no row to lock yet, come one after the other.
-- Two names with one key only wait for each other. One name has one key: a collation that takes two spellings for one
-- would hash it otherwise.
create or replace function fence.lock_key(p_resource text)
returns bigint language sql immutable parallel safe as $$
    select pg_catalog.hashtextextended(p_resource collate "C", 1718578275)
$$;
