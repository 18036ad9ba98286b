-- credit.refusals: refused writes to the ledger in the order of their numbers, with what each would have done. Pages
-- and filters as credit.entries (the time is that of the first attempt), and p_reason: 'stale', 'not open', 'conflict'
-- or 'closed'; anything else raises ZF004. A capture or release of a hold that was not there is among fence.refusals
-- alone: it would have moved nothing.
--
-- The length of an account's name is asked for because the index has only those that can be one.
create or replace function credit.refusals(
    p_account text, p_after bigint, p_limit int, p_reason text default null, p_resource text default null,
    p_holder uuid default null, p_since timestamptz default null, p_until timestamptz default null,
    p_before bigint default null)
returns setof credit.refused_write
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
    v_low bigint;
    v_high bigint;
begin
    if p_reason collate "C" not in ('stale', 'not open', 'conflict', 'closed') then
        raise exception using errcode = 'ZF004',
            message = 'the reason of a refusal is stale, not open, conflict or closed';
    end if;
    select b.low, b.high into v_low, v_high
        from credit.numbers_between('fence.refusal', 'first_at', p_since, p_until) b;
    v_high := least(v_high, p_before - (p_before > 0)::int);
    return query execute
        'select w.* from credit.refused_write w where w.seq > $1 and w.seq <= $2'
        || case when p_account is not null then ' and w.account = $4 and octet_length(w.account) <= 512' else '' end
        || case when p_resource is not null then ' and w.resource = $5' else '' end
        || case when p_holder is not null then ' and w.presented_holder = $6' else '' end
        || case when p_since is not null then ' and w.first_at >= $7' else '' end
        || case when p_until is not null then ' and w.first_at < $8' else '' end
        || case when p_reason is not null then ' and w.reason = $9' else '' end
        || case when p_before is null then ' order by w.seq limit $3' else ' order by w.seq desc limit $3' end
        using greatest(coalesce(p_after, 0), v_low - 1), v_high, p_limit, p_account, p_resource, p_holder,
              p_since, p_until, p_reason;
end $$;
