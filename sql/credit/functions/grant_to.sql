-- credit.grant_to: lets a role use the ledger, and the guard under it: EXECUTE on the outer functions, and
-- nothing on the tables. To be called by the schemas' owner. Raises 42704 for a role that does not exist.
create or replace function credit.grant_to(p_role name)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    f regprocedure;
begin
    perform fence.grant_to(p_role);
    execute format('grant usage on schema credit to %I', p_role);
    for f in
        select p.oid from pg_proc p
        where p.pronamespace = 'credit'::regnamespace
          and p.proname in ('open_account', 'grant', 'charge', 'balance', 'charged', 'entries', 'refused', 'audit')
    loop
        execute format('grant execute on function %s to %I', f, p_role);
    end loop;
end $$;
