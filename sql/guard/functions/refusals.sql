-- fence.refusals: refused writes, page by page: of one resource or (null) of all, shown by a holder, for a reason, first
-- refused from p_since on (included). Null leaves a filter out. Pages as fence.openings. A reason that is none of
-- 'stale', 'not open', 'conflict' and 'closed' raises ZF004.
--
-- A repeat raises the attempts of its row and leaves number and place as they are: p_since is about the first attempt.
--
-- Each filter has its index, which bears the order of the page as well; sorting is switched off so that the planner goes
-- by it also where it believes, by statistics that are old or missing, that few rows are left to be sorted.
create or replace function fence.refusals(
    p_resource text, p_after bigint, p_limit int, p_holder uuid default null, p_reason text default null,
    p_since timestamptz default null, p_before bigint default null)
returns setof fence.refusal language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
    v_after bigint := coalesce(p_after, 0);
begin
    if p_reason not in ('stale', 'not open', 'conflict', 'closed') then
        raise exception using errcode = 'ZF004',
            message = 'the reason of a refusal is stale, not open, conflict or closed';
    end if;
    if p_since is not null then
        v_after := greatest(v_after, fence.number_from('fence.refusal', 'first_at', p_since) - 1);
    end if;
    return query execute
        'select f.* from fence.refusal f where f.seq > $1 and f.seq < $2'
        || case when p_resource is not null then ' and f.resource = $4 collate "C"' else '' end
        || case when p_holder is not null then ' and f.presented_holder = $5' else '' end
        || case when p_reason is not null then ' and f.reason = $6' else '' end
        || case when p_since is not null then ' and f.first_at >= $7' else '' end
        || ' order by f.seq' || case when p_before is null then '' else ' desc' end || ' limit $3'
        using v_after, coalesce(p_before, 9223372036854775807), p_limit, p_resource, p_holder, p_reason, p_since;
end $$;
