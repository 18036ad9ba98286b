-- A later version of fence.mark: its parameters have the same types and other names, and it answers two columns.
create or replace function fence.mark(
    p_name text, p_function text default 'mark', out highest bigint, out said_of text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select 7::bigint, p_name
$$;
