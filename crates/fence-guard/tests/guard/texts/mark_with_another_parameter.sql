-- A later version of fence.mark, with a parameter more.
create or replace function fence.mark(p_resource text, p_call text default 'mark', p_more int default 0)
returns bigint language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select 7::bigint
$$;
