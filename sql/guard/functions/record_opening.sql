-- fence.record_opening: writes the mark and the opening. The caller holds the resource's locks and has
-- judged what they returned; r is that row, all null where there was none. A takeover is told on channel "fence", as
-- fence.refuse tells a refusal; any other opening tells nobody, for a notification makes commits wait for each other.
create or replace function fence.record_opening(
    r fence.resource, p_resource text, p_fence bigint, p_holder uuid, p_seq bigint,
    p_valid_until timestamptz, p_minted boolean)
returns void language plpgsql as $$
declare
    v_now timestamptz := clock_timestamp();
begin
    insert into fence.resource as x
        (resource, fence, holder, opened_seq, opened_at, valid_until, minted)
    values (p_resource, p_fence, p_holder, p_seq, v_now, p_valid_until, p_minted)
    on conflict on constraint resource_key do update set
        fence = excluded.fence, holder = excluded.holder, opened_seq = excluded.opened_seq,
        opened_at = excluded.opened_at, valid_until = excluded.valid_until, minted = excluded.minted,
        closed_seq = null, closed_at = null, closed_lease_left_ms = null;

    insert into fence.opening
        (seq, resource, fence, holder, at, valid_until, minted, takeover,
         previous_seq, previous_fence, previous_holder, previous_valid_until,
         previous_closed_seq, previous_closed_at, previous_closed_lease_left_ms)
    values
        (p_seq, p_resource, p_fence, p_holder, v_now, p_valid_until, p_minted,
         r.fence is not null and r.closed_seq is null,
         r.opened_seq, r.fence, r.holder, r.valid_until,
         r.closed_seq, r.closed_at, r.closed_lease_left_ms);
    if r.fence is not null and r.closed_seq is null then
        perform pg_notify('fence', format('takeover %s', p_seq));
    end if;
end $$;
