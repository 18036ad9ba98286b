-- fence.grant_outer: gives a role a schema's functions for this audience (see fence.audience), and nothing else.
create or replace function fence.grant_outer(p_schema name, p_role name, p_audience text default 'application')
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    f regprocedure;
begin
    execute format('grant usage on schema %I to %I', p_schema, p_role);
    for f in
        select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = p_schema and fence.audience(p.oid) = p_audience
    loop
        execute format('grant execute on function %s to %I', f, p_role);
    end loop;
end $$;
