-- credit.ride: takes a resource exclusively, to the end of the transaction, for one call that decides by what it reads
-- behind that lock. Opens where the permit has not opened yet (is_own), and rides in its opening where it has.
--
-- Always exclusively: of two calls under one permit that have only looked whether it is open, both read "not charged".
--
-- outcome: null, or 'stale', 'conflict', 'closed', 'not open', 'busy' (valid_until). Raises as fence.open.
create or replace function credit.ride(
    p_resource text, p_fence bigint, p_holder uuid,
    out outcome text, out mark bigint, out mark_holder uuid, out valid_until timestamptz, out is_own boolean)
language plpgsql as $$
declare
    v_closed boolean;
begin
    select r.outcome, r.mark, r.mark_holder, r.valid_until into outcome, mark, mark_holder, valid_until
        from fence.raise_mark(p_resource collate "C", p_fence, p_holder, interval '30 seconds') r;
    is_own := outcome = 'opened';
    if is_own then
        outcome := null;
    elsif outcome = 'already open' then
        -- That was only looked at. Now with the lock, and judged by what it returned.
        perform pg_advisory_xact_lock(fence.lock_key(p_resource));
        select x.fence, x.holder, x.closed_seq is not null into mark, mark_holder, v_closed
            from fence.resource x where x.resource = p_resource collate "C" for update;
        outcome := fence.judge(mark, mark_holder, v_closed, p_fence, p_holder);
        if mark is null then
            -- Closed and folded meanwhile.
            select l.reason, l.mark into outcome, mark from fence.look_floor(p_fence) l;
        end if;
    end if;
end $$;
