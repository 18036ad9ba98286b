-- dataset.grant_to: lets a role run the service: the guard, the ledger, and its own table, of which it reads all and
-- writes what the guard lets in. To be called by the schemas' owner, and again after an upgrade that brings new
-- functions. Raises 42704 for a role that does not exist.
create or replace function dataset.grant_to(p_role name)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform credit.grant_to(p_role);
    execute format('grant usage on schema dataset to %I', p_role);
    execute format('grant select, insert, update (answer, answered_at) on dataset.query to %I', p_role);
    execute format('grant execute on function dataset.installed() to %I', p_role);
end
$$;
