-- fence.openings: the openings of a resource in the order of their numbers, after one of them, at most so
-- many; null is all, less than 0 raises 2201W.
create or replace function fence.openings(p_resource text, p_after bigint, p_limit int)
returns setof fence.opening language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select o.* from fence.opening o
    where o.resource = p_resource collate "C" and o.seq > p_after order by o.fence limit p_limit
$$;
