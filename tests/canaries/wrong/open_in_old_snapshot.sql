-- WRONG ON PURPOSE: breaks S2.
--
-- Not a line of the guard is changed, but it may be used under REPEATABLE READ: an opening waits out every
-- older write, and then its holder reads in a snapshot from before them.
create or replace function isolation() returns text language sql immutable as $$
    select 'repeatable read'
$$;
