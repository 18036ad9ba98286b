-- fence.grant_reader: lets a role look, and nothing else: EXECUTE on those functions for the application, of every schema
-- that is installed beside the guard, that are STABLE, so that Postgres itself keeps them from writing. Meant for whoever
-- is asked at night: it reads openings, refusals, entries, audits; it cannot open, write, close or tidy up.
-- To be called by the schemas' owner, and again after an upgrade that brings new functions. Raises 42704 for a role that
-- does not exist.
create or replace function fence.grant_reader(p_role name)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    n name;
    f regprocedure;
begin
    for n in select i.schema_name from fence.installed i loop
        execute format('grant usage on schema %I to %I', n, p_role);
    end loop;
    for f in
        select p.oid
        from fence.installed i
        join pg_namespace s on s.nspname = i.schema_name
        join pg_proc p on p.pronamespace = s.oid
        where p.provolatile = 's' and fence.audience(p.oid) = 'application'
    loop
        execute format('grant execute on function %s to %I', f, p_role);
    end loop;
end $$;
