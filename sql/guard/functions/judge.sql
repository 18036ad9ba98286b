-- fence.judge: what a guard that sees this mark says of this permit. Null means: admit.
--
-- It must be called with what the locked row returned, never with what was read before the lock.
-- A plain SQL expression, so that the planner puts it in place of the call.
create or replace function fence.judge(
    p_mark bigint, p_mark_holder uuid, p_mark_closed boolean, p_fence bigint, p_holder uuid)
returns text language sql immutable parallel safe as $$
    select case
        when p_fence < p_mark then 'stale'
        when p_mark is null or p_fence > p_mark then 'not open'
        when p_holder <> p_mark_holder then 'conflict'
        when p_mark_closed then 'closed'
    end
$$;
