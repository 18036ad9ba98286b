-- credit.refused: the refused writes in the order of their numbers, after one of them, at most so many;
-- null is all, less than 0 raises 2201W.
create or replace function credit.refused(p_after bigint, p_limit int)
returns setof credit.refused_write
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select w.* from credit.refused_write w where w.seq > p_after order by w.seq limit p_limit
$$;
