-- fence.fold: takes away the marks of resources whose opening was closed longer ago than this, and lets the floor
-- stand for them: it becomes the highest of them plus one. A job of the operator, so that a million resources
-- that were used once do not stay for ever; arguments, results and errors as fence.prune_refusals.
--
-- Whoever was refused by a folded mark is refused by the floor: its fence is stale. The next opening of a folded
-- resource, and the first of any other one, comes at the floor or above it; whoever holds a lease with a lower
-- number is told stale, and mints above (fence.mark). What the mark said of its close goes to its opening.
--
-- Not folded: what is open, however old; what somebody holds a lock on at the moment; a mark more than 2^40
-- above the floor, which one broken counter could have made, and which would lift every other resource with it.
-- Waits up to 10 s for first openings in flight (55P03: nothing has changed).
create or replace function fence.fold(
    p_older_than interval, p_batch int default 1000, p_call text default 'fold',
    out gone bigint, out through boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_cutoff timestamptz;
    v_after text;
    v_floor bigint;
    v_names text[];
    v_foldable text[];
    v_seq bigint;
begin
    select j.cutoff, j.after_name into v_cutoff, v_after
        from fence.begin_job('fold', p_call, p_older_than, p_batch) j;
    -- Lock order: the floor before any resource. A first opening holds it shared, and comes before or after.
    select f.fence into v_floor from fence.floor f for update;
    v_names := array(
        select x.resource from fence.resource x where x.resource > v_after order by x.resource limit p_batch);
    -- The lock returns each row as it is now: one that was opened again meanwhile is not closed any more.
    v_foldable := array(
        select x.resource from fence.resource x
        where x.resource = any (v_names) and x.closed_at < v_cutoff and x.fence <= v_floor + 1099511627776
        order by x.resource for update skip locked);

    v_seq := nextval('fence.seq');
    -- The floor first: a mark may only go when the floor stands for it.
    update fence.floor f set fence = m.above
        from (select max(x.fence) + 1 as above from fence.resource x where x.resource = any (v_foldable)) m
        where m.above > f.fence;
    update fence.opening o
        set folded_seq = v_seq, folded_at = clock_timestamp(), closed_seq = x.closed_seq,
            closed_at = x.closed_at, closed_lease_left_ms = x.closed_lease_left_ms
        from fence.resource x where x.resource = any (v_foldable) and o.seq = x.opened_seq;
    delete from fence.resource x where x.resource = any (v_foldable);
    get diagnostics gone = row_count;
    through := cardinality(v_names) < p_batch;
    perform fence.end_job('fold', through, null, v_names[cardinality(v_names)]);
end $$;
