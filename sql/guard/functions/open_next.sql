-- fence.open_next: opens a resource without a lease, under a fence that the guard mints itself: mark + 1.
-- For a service that must go on while Redis is down. Safe like any opening, since every other one is
-- refused or comes after it; and it does not take over what another holder still means to hold.
--
-- outcome        'opened'; 'already open' (this holder's own unclosed opening: a lost reply is retried
--                safely); 'busy' (another's opening is unclosed, and valid until valid_until by this
--                database's clock); 'closed' (this holder has closed its opening) and 'stale' (it was
--                overtaken): a new acquisition takes a new holder
-- mark           the mark after the call: the fence of the opening; mark_holder who opened it
-- seq, takeover  as fence.open
--
-- Errors as fence.open; also ZF004 when the resource has no fence left.
create or replace function fence.open_next(
    p_resource text, p_holder uuid, p_valid_for interval,
    p_wait interval default '10 s', p_call text default 'open_next',
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    r fence.resource;
    v_floor bigint;
    v_found boolean;
begin
    perform fence.arm('open_next', p_call, p_valid_for, p_wait);
    perform fence.check_permit(p_resource, 1, p_holder);
    if pg_current_xact_id_if_assigned() is not null then
        raise exception using errcode = 'ZF002',
            message = 'fence.open_next comes first in its transaction, before any write or row lock';
    end if;

    -- Judged before the lock and, from what it returned, after it: as in fence.open.
    select * into r from fence.resource x where x.resource = p_resource;
    v_found := found;
    if v_found then
        outcome := fence.judge_next(r, p_holder);
    else
        select f.fence into v_floor from fence.floor f for share;
    end if;
    if outcome is null then
        perform pg_advisory_xact_lock(fence.lock_key(p_resource));
        select * into r from fence.resource x where x.resource = p_resource for update;
        if found then
            v_found := true;
            outcome := fence.judge_next(r, p_holder);
        elsif v_found then
            raise exception using errcode = '40001',
                message = 'the resource was folded while its opening waited, open again';
        end if;
    end if;
    if outcome is not null then
        mark := r.fence; mark_holder := r.holder; valid_until := r.valid_until;
        if outcome = 'already open' then
            select o.seq, o.takeover into seq, takeover from fence.opening o where o.seq = r.opened_seq;
        end if;
        return;
    end if;

    mark := coalesce(r.fence + 1, v_floor);
    perform fence.check_permit(p_resource, mark, p_holder);
    outcome := 'opened';
    mark_holder := p_holder;
    seq := nextval('fence.seq');
    valid_until := clock_timestamp() + p_valid_for;
    takeover := v_found and r.closed_seq is null;
    perform fence.record_opening(r, p_resource, mark, p_holder, seq, valid_until, true);
end $$;
