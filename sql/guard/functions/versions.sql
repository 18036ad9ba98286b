-- fence.versions: which sets of functions are installed, the guard's and those beside it. The digest tells apart two sets
-- of one version.
create or replace function fence.versions()
returns table (schema_name text, functions_version int, functions_digest text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select i.schema_name, i.functions_version, i.functions_digest from fence.installed i order by i.schema_name
$$;
