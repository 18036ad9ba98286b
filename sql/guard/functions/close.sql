-- fence.close: ends my opening. Later writes and openings under it are 'closed'; it never heals.
--
-- lease_left_ms  what was left of the lease by the holder's own clock; below zero it is an overrun: the
--                section outlived its lease. Recorded for the figures, never for safety.
--
-- outcome        'closed' (also when I had closed it before), or why there is nothing of mine to close:
--                'stale', 'not open', 'conflict'
-- mark           what the guard saw, mark_holder who opened it
--
-- Leaving a section is: close, then release the lease. Errors as fence.open.
create or replace function fence.close(
    p_resource text, p_fence bigint, p_holder uuid, p_lease_left_ms bigint,
    p_wait interval default '10 s', p_call text default 'close',
    out outcome text, out mark bigint, out mark_holder uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_closed boolean;
begin
    perform fence.arm('close', p_call, interval '1 second', p_wait);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    if p_lease_left_ms is null then
        raise exception using errcode = 'ZF004', message = 'close takes what is left of the lease, in ms';
    end if;
    -- Two transactions of one holder that have written and then close would each wait for the other's
    -- share lock.
    if pg_current_xact_id_if_assigned() is not null then
        raise exception using errcode = 'ZF002',
            message = 'fence.close comes first in its transaction, before any write or row lock';
    end if;

    -- As in open: a holder that was overtaken must not queue in front of the rightful one's writers.
    select x.fence, x.holder, x.closed_seq is not null into mark, mark_holder, v_closed
        from fence.resource x where x.resource = p_resource collate "C";
    outcome := fence.judge(mark, mark_holder, v_closed, p_fence, p_holder);
    if outcome is null then
        perform pg_advisory_xact_lock(fence.lock_key(p_resource));
        select x.fence, x.holder, x.closed_seq is not null into mark, mark_holder, v_closed
            from fence.resource x where x.resource = p_resource collate "C" for update;
        outcome := fence.judge(mark, mark_holder, v_closed, p_fence, p_holder);
    end if;
    if outcome is null then
        update fence.resource x
            set closed_seq = nextval('fence.seq'), closed_at = clock_timestamp(),
                closed_lease_left_ms = p_lease_left_ms
            where x.resource = p_resource collate "C";
        outcome := 'closed';
    elsif mark is null then
        select l.reason, l.mark into outcome, mark from fence.look_floor(p_fence) l;
    end if;
end $$;
