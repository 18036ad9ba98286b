-- dataset.installed: which functions each schema has, for an instance that installs nothing itself and has to know
-- whether it can do with what is there.
create or replace function dataset.installed()
returns table (schema_name text, functions_version integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select i.schema_name, i.functions_version from fence.installed i
$$;
