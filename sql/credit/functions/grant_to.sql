-- credit.grant_to: lets a role use the ledger, and the guard under it: EXECUTE on the outer functions, and
-- nothing on the tables. To be called by the schemas' owner, and again after an upgrade that brings new
-- functions. Raises 42704 for a role that does not exist.
create or replace function credit.grant_to(p_role name)
returns void language sql set search_path = pg_catalog, pg_temp as $$
    select fence.grant_outer('fence', p_role);
    select fence.grant_outer('credit', p_role)
$$;
