-- credit.entries: an account's entries in the order of their numbers, after one of them, at most so many;
-- null is all, less than 0 raises 2201W.
create or replace function credit.entries(p_account text, p_after bigint, p_limit int)
returns setof credit.entry language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select e.* from credit.account a join credit.entry e on e.account = a.id
    where a.name = p_account and e.seq > p_after order by e.seq limit p_limit
$$;
