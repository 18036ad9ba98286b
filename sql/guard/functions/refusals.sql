-- fence.refusals: refused writes in the order of their numbers, of one resource or (null) of all, after
-- one of them, at most so many; null is all, less than 0 raises 2201W.
create or replace function fence.refusals(p_resource text, p_after bigint, p_limit int)
returns setof fence.refusal language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select f.* from fence.refusal f
    where (p_resource is null or f.resource = p_resource collate "C") and f.seq > p_after order by f.seq limit p_limit
$$;
