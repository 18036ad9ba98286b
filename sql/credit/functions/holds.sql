-- credit.holds: holds in the order of their numbers, with how each stands at this moment (see credit.hold_state). Pages
-- and filters as credit.entries, and p_state: 'open', 'captured', 'released', 'expired' or 'void'; anything else
-- raises ZF004.
--
-- What is void or expired and was not given back yet is found by looking at every hold that is not resolved.
create or replace function credit.holds(
    p_account text, p_after bigint, p_limit int, p_state text default null, p_resource text default null,
    p_holder uuid default null, p_since timestamptz default null, p_until timestamptz default null)
returns table (seq bigint, request uuid, account text, amount bigint, purpose text, resource text, fence bigint,
               holder uuid, at timestamptz, expires_at timestamptz, state text, captured bigint,
               resolved_seq bigint, resolved_at timestamptz, resolved_by uuid)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
    v_account bigint := (select a.id from credit.account a where a.name = p_account);
    v_low bigint;
    v_high bigint;
    v_query text;
    v_written constant text := ' and h.resolution = $9';
    v_judged constant text := ' and h.resolution is null and credit.hold_state(h, $10) = $9';
begin
    if p_state not in ('open', 'captured', 'released', 'expired', 'void') then
        raise exception using errcode = 'ZF004',
            message = 'a hold is open, captured, released, expired or void';
    end if;
    select b.low, b.high into v_low, v_high
        from credit.numbers_between('credit.hold', 'at', p_since, p_until) b;
    if p_account is not null and v_account is null or v_low > v_high then
        v_high := 0;
    end if;
    v_query := 'select h.seq, h.request, a.name, h.amount, h.purpose, h.resource, h.fence, h.holder, h.at, h.expires_at,
                credit.hold_state(h, $10), h.captured, h.resolved_seq, h.resolved_at, h.resolved_by
         from credit.hold h join credit.account a on a.id = h.account
         where h.seq > $1 and h.seq <= $2'
        || case when p_account is not null then ' and h.account = $4' else '' end
        || case when p_resource is not null then ' and h.resource = $5' else '' end
        || case when p_holder is not null then ' and h.holder = $6' else '' end
        || case when p_since is not null then ' and h.at >= $7' else '' end
        || case when p_until is not null then ' and h.at < $8' else '' end;
    -- A void or expired hold has that written, or has it by the predicate: two ways, each in the order of its index.
    v_query := case
        when p_state is null then v_query
        when p_state in ('captured', 'released') then v_query || v_written
        when p_state = 'open' then v_query || v_judged
        else format('(%s order by h.seq limit $3) union all (%s order by h.seq limit $3)',
                    v_query || v_written, v_query || v_judged)
    end;
    return query execute v_query || ' order by seq limit $3'
        using greatest(coalesce(p_after, 0), v_low - 1), v_high, p_limit, v_account, p_resource, p_holder,
              p_since, p_until, p_state, clock_timestamp();
end $$;
