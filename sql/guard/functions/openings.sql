-- fence.openings: openings, each with how it ended, page by page: of one resource or (null) of all, by a holder, from
-- p_since on (included). Null leaves a filter out.
--
-- Without p_before in the order of their numbers, those after p_after (null: from the start). With it the newest first,
-- those before it and after p_after: 9223372036854775807 for the first page, then the last number of the page before.
-- At most p_limit (null: all; less than 0 raises 2201W).
--
-- closed_…  when its holder closed it, and what was left of the lease by the holder's own clock (below 0: it outlived
--           its lease); null where it has not, or where nobody knows any more: the next opening was pruned
-- next_…    the opening that came after it; where closed_seq is null it took this one over
-- folded_at when its mark was folded
--
-- Numbers come before commits: a page can lack an opening that commits later under a lower number (fence.horizon).
create or replace function fence.openings(
    p_resource text, p_after bigint, p_limit int, p_holder uuid default null, p_since timestamptz default null,
    p_before bigint default null)
returns table (seq bigint, resource text, fence bigint, holder uuid, at timestamptz, valid_until timestamptz,
               minted boolean, takeover boolean, previous_fence bigint, previous_holder uuid,
               closed_seq bigint, closed_at timestamptz, closed_lease_left_ms bigint,
               next_fence bigint, next_holder uuid, next_at timestamptz, folded_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
    v_after bigint := coalesce(p_after, 0);
    -- Of one resource numbers and fences have one order, and the index of fences bears the page. A holder has few.
    v_by_fence constant boolean := p_resource is not null and p_holder is null;
    v_order constant text := case when v_by_fence then 'o.fence' else 'o.seq' end
        || case when p_before is null then '' else ' desc' end;
    v_low bigint;
    v_high bigint;
begin
    if p_since is not null then
        v_after := greatest(v_after, fence.number_from('fence.opening', 'at', p_since) - 1);
    end if;
    if v_by_fence then
        v_low := fence.fence_after(p_resource, v_after);
        v_high := fence.fence_after(p_resource, p_before - (p_before > 0)::int);
    end if;
    return query execute
        'select o.seq, o.resource, o.fence, o.holder, o.at, o.valid_until, o.minted, o.takeover,
                o.previous_fence, o.previous_holder,
                coalesce(o.closed_seq, n.previous_closed_seq, r.closed_seq),
                coalesce(o.closed_at, n.previous_closed_at, r.closed_at),
                coalesce(o.closed_lease_left_ms, n.previous_closed_lease_left_ms, r.closed_lease_left_ms),
                n.fence, n.holder, n.at, o.folded_at
         from (select o.* from fence.opening o
               where o.seq > $1 and o.seq < $2'
        || case when p_resource is not null then ' and o.resource = $4 collate "C"' else '' end
        || case when v_by_fence then ' and o.fence >= $7 and o.fence < $8' else '' end
        || case when p_holder is not null then ' and o.holder = $5' else '' end
        || case when p_since is not null then ' and o.at >= $6' else '' end
        || ' order by ' || v_order || ' limit $3) o
         left join lateral (
             select x.* from fence.opening x
             where x.resource = o.resource and x.fence > o.fence order by x.fence limit 1) n
             on n.previous_seq = o.seq
         left join fence.resource r on r.resource = o.resource and r.opened_seq = o.seq
         order by ' || v_order
        using v_after, coalesce(p_before, 9223372036854775807), p_limit, p_resource, p_holder, p_since,
              v_low, coalesce(v_high, 9223372036854775807);
end $$;
