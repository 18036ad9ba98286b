-- fence.raise_mark: the opening itself, for fence.open (under the fence that the permit shows) and for
-- fence.open_next (p_fence is null: under the mark plus one). Their heads say what the results mean.
create or replace function fence.raise_mark(
    p_resource text, p_fence bigint, p_holder uuid, p_valid_for interval,
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language plpgsql as $$
declare
    r fence.resource;
    v_folded fence.resource;
    v_floor bigint;
    v_found boolean;
begin
    if pg_current_xact_id_if_assigned() is not null then
        raise exception using errcode = 'ZF002',
            message = 'an opening comes first in its transaction, before any write or row lock';
    end if;

    -- First judgement, from a plain read: a stale holder must not queue for the lock, because every
    -- writer of the rightful holder would queue behind it.
    select * into r from fence.resource x where x.resource = p_resource;
    v_found := found;
    if v_found then
        outcome := fence.judge_opening(r, p_fence, p_holder);
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
            outcome := fence.judge_opening(r, p_fence, p_holder);
        elsif v_found then
            raise exception using errcode = '40001',
                message = 'the resource was folded while its opening waited, open again';
        elsif p_fence < v_floor then
            outcome := 'stale';
            mark := v_floor;
            return;
        elsif p_fence is null then
            -- A minted number is never below the floor, so that the floor refuses nobody here who has closed, or was
            -- overtaken, before the mark was folded. Under the locks, as a fold or another opening may have come first.
            v_folded := fence.folded_mark(p_resource);
            outcome := fence.judge_opening(v_folded, p_fence, p_holder);
            if outcome is not null then
                r := v_folded;
            end if;
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
    mark := coalesce(p_fence, r.fence + 1, v_floor);
    mark_holder := p_holder;
    perform fence.check_permit(p_resource, mark, p_holder);
    seq := nextval('fence.seq');
    valid_until := clock_timestamp() + p_valid_for;
    takeover := v_found and r.closed_seq is null;
    perform fence.record_opening(r, p_resource, mark, p_holder, seq, valid_until, p_fence is null);
end $$;
