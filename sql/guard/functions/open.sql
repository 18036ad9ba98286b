-- fence.open: raises the mark of a resource to my fence and waits out every older write in flight.
--
-- Call it before the first read that a decision rests on: after it has returned, no write under a
-- lower fence commits any more, also none that was already past its check (S2).
--
-- outcome        'opened', 'already open' (the same holder again: a lost reply is retried safely),
--                'stale' (a higher fence was opened), 'conflict' (another holder opened this number),
--                'closed' (I have closed it: closed never heals), 'busy' (an opening that the guard
--                minted itself is unclosed and valid until valid_until)
-- mark           the mark after the call, mark_holder who opened it
-- seq            the number of the opening (opened, already open)
-- takeover       opened over an opening that was not closed (opened, already open)
-- valid_for      how long the opener means to hold: for liveness and figures, never for safety
-- wait           how long it may wait for each lock, that is for the writers in flight; then it raises
--                55P03, nothing has changed, and fence.blockers says whom it waited for
--
-- Once per transaction and first in it. Raises ZF001 outside READ COMMITTED, ZF002 when the transaction
-- has already written or locked, ZF004 on bad arguments, 40001 when the row was folded while it waited.
create or replace function fence.open(
    p_resource text, p_fence bigint, p_holder uuid, p_valid_for interval,
    p_wait interval default '10 s', p_call text default 'open',
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    r fence.resource;
    v_floor bigint;
    v_found boolean;
begin
    perform fence.arm('open', p_call, p_valid_for, p_wait);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    if pg_current_xact_id_if_assigned() is not null then
        raise exception using errcode = 'ZF002',
            message = 'fence.open comes first in its transaction, before any write or row lock';
    end if;

    -- First judgement, from a plain read: a stale holder must not queue for the lock, because every
    -- writer of the rightful holder would queue behind it.
    select * into r from fence.resource x where x.resource = p_resource;
    v_found := found;
    if v_found then
        outcome := fence.judge_open(r, p_fence, p_holder);
    else
        -- Lock order: the floor row before the resource, against a fold of the same name.
        select f.fence into v_floor from fence.floor f for share;
    end if;

    if outcome is null then
        perform pg_advisory_xact_lock(fence.lock_key(p_resource));
        -- The drain: waits for every transaction that holds the row FOR SHARE, to its commit.
        select * into r from fence.resource x where x.resource = p_resource for update;
        -- Second judgement, from what the lock returned: a higher fence may have opened meanwhile.
        if found then
            v_found := true;
            outcome := fence.judge_open(r, p_fence, p_holder);
        elsif v_found then
            raise exception using errcode = '40001',
                message = 'the resource was folded while its opening waited, open again';
        elsif p_fence < v_floor then
            outcome := 'stale';
            mark := v_floor;
            return;
        end if;
    end if;
    if outcome is not null then
        mark := r.fence; mark_holder := r.holder; valid_until := r.valid_until;
        if outcome = 'already open' then
            select o.seq, o.takeover into seq, takeover from fence.opening o where o.seq = r.opened_seq;
        end if;
        return;
    end if;

    outcome := 'opened';
    mark := p_fence;
    mark_holder := p_holder;
    seq := nextval('fence.seq');
    valid_until := clock_timestamp() + p_valid_for;
    takeover := v_found and r.closed_seq is null;
    perform fence.record_opening(r, p_resource, p_fence, p_holder, seq, valid_until, false);
end $$;
