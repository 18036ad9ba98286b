-- fence.refuse: keeps a refused write as a row. A repeat of the same attempt raises attempts. Whoever was
-- refused still holds its share lock, and has nothing to do but to commit: it gets a second for that.
--
-- A new row is told to whoever listens on channel "fence", by its number alone: any role may listen, and names and
-- holders are not for everybody. A repeat is not told. A notification makes commits wait for each other, and a holder that
-- repeats a refused write for ever must not slow down those of others.
create or replace function fence.refuse(
    p_permit fence.permit, p_operation text, p_request uuid, p_reason text,
    p_observed_fence bigint, p_observed_holder uuid, p_write jsonb)
returns void language sql as $$
    with kept as (
        insert into fence.refusal as x
            (resource, presented_fence, presented_holder, operation, request, reason,
             observed_fence, observed_holder, write, first_at, last_at)
        select
            p_permit.resource, p_permit.fence, p_permit.holder, p_operation,
            coalesce(p_request, '00000000-0000-0000-0000-000000000000'), p_reason,
            p_observed_fence, p_observed_holder, coalesce(p_write, '{}'), c.now, c.now
        from clock_timestamp() c (now)
        on conflict on constraint refusal_once do update
            set attempts = x.attempts + 1, last_at = greatest(x.last_at, excluded.last_at)
        returning x.seq, x.attempts
    )
    select pg_notify('fence', format('refusal %s', k.seq)) from kept k where k.attempts = 1;
    select fence.shorten('idle_in_transaction_session_timeout', 1000)
$$;
