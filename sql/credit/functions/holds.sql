-- credit.holds: holds in the order of their numbers, with how each stands at this moment (see credit.hold_state). Pages
-- and filters as credit.entries, and p_state: 'open', 'captured', 'released', 'expired' or 'void'; anything else
-- raises ZF004.
--
-- A void or expired hold has that written, or has it by the predicate: two ways, each by its index. The second reads the
-- holds that are dead and not given back yet (see credit.dead_holds), however many are open. Joins are loops through
-- indexes, for the same reason as there is no sorting; and where one is sorted after all, its cost, which only stands for
-- "not if it can be helped", must not have it compiled first.
create or replace function credit.holds(
    p_account text, p_after bigint, p_limit int, p_state text default null, p_resource text default null,
    p_holder uuid default null, p_since timestamptz default null, p_until timestamptz default null,
    p_before bigint default null)
returns table (seq bigint, request uuid, account text, amount bigint, purpose text, resource text, fence bigint,
               holder uuid, at timestamptz, expires_at timestamptz, state text, captured bigint,
               resolved_seq bigint, resolved_at timestamptz, resolved_by uuid)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
    v_account bigint := (select a.id from credit.account a where a.name = p_account collate "C");
    v_low bigint;
    v_high bigint;
    v_rows constant text := 'select h.seq, h.request, a.name, h.amount, h.purpose, h.resource, h.fence, h.holder, h.at,
            h.expires_at, credit.hold_state(h, $10), h.captured, h.resolved_seq, h.resolved_at, h.resolved_by
        from credit.hold h join credit.account a on a.id = h.account';
    v_whose constant text := case when p_account is not null then ' and h.account = $4' else '' end
        || case when p_resource is not null then ' and h.resource = $5' else '' end
        || case when p_holder is not null then ' and h.holder = $6' else '' end;
    v_when constant text := case when p_since is not null then ' and h.at >= $7' else '' end
        || case when p_until is not null then ' and h.at < $8' else '' end;
    v_numbers constant text := ' where h.seq > $1 and h.seq <= $2' || v_when;
    v_way constant text := case when p_before is null then '' else ' desc' end;
    v_page constant text := format(' order by h.seq%s limit $3', v_way);
    -- Alone, a resolution is asked for as a stretch of its index. As an equality it could be left to be looked for in the
    -- order of all holds, through any number of them that are open.
    v_resolved constant text := v_rows || case v_whose
        when '' then ' where (h.resolution, h.seq) > ($9, $1) and (h.resolution, h.seq) <= ($9, $2)
            and h.resolution is not null' || v_when || format(' order by h.resolution%1$s, h.seq%1$s limit $3', v_way)
        else v_numbers || v_whose || ' and h.resolution = $9' || v_page end;
begin
    if p_state collate "C" not in ('open', 'captured', 'released', 'expired', 'void') then
        raise exception using errcode = 'ZF004',
            message = 'a hold is open, captured, released, expired or void';
    end if;
    select b.low, b.high into v_low, v_high
        from credit.numbers_between('credit.hold', 'at', p_since, p_until) b;
    v_high := least(v_high, p_before - (p_before > 0)::int);
    if p_account is not null and v_account is null or v_low > v_high then
        v_high := 0;
    end if;
    return query execute case
        when p_state is null then v_rows || v_numbers || v_whose || v_page
        when p_state = 'open' then
            v_rows || v_numbers || v_whose || ' and h.resolution is null and credit.hold_state(h, $10) = $9' || v_page
        when p_state in ('captured', 'released') then v_resolved
        else format('with dead as materialized (%s)
                     (%s) union all (%s join (select h.seq from dead h %s) d on d.seq = h.seq %s) order by seq%s limit $3',
                    credit.dead_holds(p_state, v_whose), v_resolved, v_rows, v_numbers || v_page, v_page, v_way)
        end
        using greatest(coalesce(p_after, 0), v_low - 1), v_high, p_limit, v_account, p_resource, p_holder,
              p_since, p_until, p_state, clock_timestamp();
end $$;
