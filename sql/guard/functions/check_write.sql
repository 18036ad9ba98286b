-- fence.check_write: whether this transaction may write a row of a resource into a protected table. Null: it
-- may. Else why not, as the DETAIL of the trigger's error tells it:
--
--   reason             'not admitted' (the transaction holds no permit of this resource), 'no resource' (null in
--                      the column), or as the guard says of a permit: 'stale', 'not open', 'conflict', 'closed'
--   resource           whose row it is
--   presented_fence, presented_holder   the permit that the transaction carries for it; null where it has none
--   observed_fence, observed_holder     the mark; 0 and null where nothing was opened. The holder is told only
--                      to whoever carries a permit for the resource: this goes into the server's log
--
-- The setting only carries the permits, and anybody can set it. So the row of the resource is read again, and
-- fence and holder are compared: a forged setting is worth nothing. Only a permit that holds comes to lock the row
-- FOR SHARE, and is compared once more with what the lock returned: nobody keeps a successor out by a permit that it
-- does not have. Whatever passes is drained by the next opening, named and bounded like every other write; see
-- fence.join_writers, also for its 55P03. For the trigger of fence.protect, which runs with the rights of whoever
-- writes.
create or replace function fence.check_write(p_resource text)
returns jsonb language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- A name is its bytes, whatever collation it comes with.
    v_resource constant text collate "C" := p_resource;
    v_carried text[] := string_to_array(current_setting('fence.admitted', true), E'\n');
    v_admission text collate "C";
    v_permit fence.permit;
    v_mark bigint;
    v_holder uuid;
    v_closed boolean;
    v_reason text;
begin
    -- Each is a fence, a holder of 36 characters, and the name; see fence.admission.
    foreach v_admission in array coalesce(v_carried, '{}') loop
        exit when substr(v_admission, strpos(v_admission, ' ') + 38) = v_resource;
        v_admission := null;
    end loop;
    if v_admission is not null then
        -- First judgement, from a plain read.
        select x.fence, x.holder, x.closed_seq is not null into v_mark, v_holder, v_closed
            from fence.resource x where x.resource = v_resource;
        if not v_closed and v_admission = fence.admission(v_resource, v_mark, v_holder) then
            perform fence.join_writers(v_resource);
            -- Second judgement, from what the lock returned.
            select x.fence, x.holder, x.closed_seq is not null into v_mark, v_holder, v_closed
                from fence.resource x where x.resource = v_resource for share;
            if not v_closed and v_admission = fence.admission(v_resource, v_mark, v_holder) then
                return null;
            end if;
        end if;
        v_permit := fence.carried(v_admission);
    end if;

    if v_permit is null then
        v_reason := case when v_resource is null then 'no resource' else 'not admitted' end;
        select x.fence into v_mark from fence.resource x where x.resource = v_resource;
    else
        v_reason := fence.judge(v_mark, v_holder, v_closed, v_permit.fence, v_permit.holder);
        if v_mark is null then
            select l.reason, l.mark into v_reason, v_mark from fence.look_floor(v_permit.fence) l;
        end if;
    end if;
    return jsonb_build_object(
        'reason', v_reason, 'resource', v_resource,
        'presented_fence', v_permit.fence, 'presented_holder', v_permit.holder,
        'observed_fence', coalesce(v_mark, 0), 'observed_holder', v_holder);
end $$;
