-- fence.admit: lets the transaction write under its permits, or refuses it and records the refusal.
--
-- The resource rows stay locked FOR SHARE to the commit: an opening waits for this transaction, and
-- whoever opens afterwards sees what it wrote. A write never raises the mark.
--
-- permits      1 to 64, of different resources; they are locked in the order of their names
-- operation    what is being done, 1 to 128 bytes; request: its id, or null
-- write        what would be written, for the row of a refusal; at most 8192 bytes of text
-- valid_for    how long the transaction may stand still before the server ends it
--
-- outcome      'admitted', or 'stale', 'not open', 'conflict', 'closed' for the first permit that is
--              refused: resource names it, mark and mark_holder say what the guard saw (0 and null
--              where nothing had been opened). A refusal is an answer, not an error, so that its row
--              commits: COMMIT at once, the share locks are still held.
--
-- Once per transaction and first in it: what was read before it, also by a cursor that is still open, was
-- not fenced. Raises ZF001 outside READ COMMITTED, ZF002 when the transaction
-- has already written, locked or admitted, ZF004 on bad arguments.
create or replace function fence.admit(
    p_permits fence.permit[], p_operation text, p_request uuid, p_valid_for interval,
    p_write jsonb default '{}', p_call text default 'admit',
    out outcome text, out resource text, out mark bigint, out mark_holder uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    p fence.permit;
    v_permits fence.permit[];
begin
    perform fence.arm('admit', p_call, p_valid_for);
    if pg_current_xact_id_if_assigned() is not null or fence.admitted() is not null then
        raise exception using errcode = 'ZF002',
            message = 'fence.admit comes once and first in its transaction, before any write or row lock';
    end if;
    v_permits := fence.canonical(p_permits);
    -- Told now, not by the row of a refusal that cannot be written.
    if not fence.is_name(p_operation, 1, 128) then
        raise exception using errcode = 'ZF004',
            message = 'an operation is named with 1 to 128 bytes and no control character';
    end if;
    if octet_length(p_write::text) > 8192 then
        raise exception using errcode = 'ZF004',
            message = 'what would be written is told with at most 8192 bytes of text';
    end if;

    foreach p in array v_permits loop
        perform pg_advisory_xact_lock_shared(fence.lock_key(p.resource));
    end loop;
    foreach p in array v_permits loop
        select l.reason, l.mark, l.mark_holder into outcome, mark, mark_holder
            from fence.look(p.resource, p.fence, p.holder) l;
        if outcome is not null then
            resource := p.resource;
            perform fence.refuse(p, p_operation, p_request, outcome, mark, mark_holder, p_write);
            return;
        end if;
    end loop;
    perform set_config('fence.admitted', array_to_string(array(
        select fence.admission(u.resource, u.fence, u.holder) from unnest(v_permits) u), E'\n'), true);
    outcome := 'admitted';
end $$;
