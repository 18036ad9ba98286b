-- WRONG ON PURPOSE: breaks S3.
--
-- "Refuse what is lower" is how fencing is often told. A holder that never opened is higher than the mark,
-- and is let in beside the one that did.
create or replace function judge(m mark, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select case
        when p_fence < m.fence then 'stale'
        when p_fence = m.fence and p_holder <> m.holder then 'conflict'
        else 'admitted'
    end
$$;
