-- fence.grant_to: lets a role use the guard: EXECUTE on its outer functions, and nothing on its tables.
-- To be called by the schema's owner. Raises 42704 for a role that does not exist.
create or replace function fence.grant_to(p_role name)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    f regprocedure;
begin
    execute format('grant usage on schema fence to %I', p_role);
    for f in
        select p.oid from pg_proc p
        where p.pronamespace = 'fence'::regnamespace
          and p.proname in ('open', 'admit', 'close', 'mark', 'openings', 'refusals', 'audit', 'blockers', 'bypass')
    loop
        execute format('grant execute on function %s to %I', f, p_role);
    end loop;
end $$;
