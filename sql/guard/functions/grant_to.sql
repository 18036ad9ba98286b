-- fence.grant_to: lets a role use the guard: EXECUTE on its outer functions, and nothing on its tables.
-- To be called by the schema's owner, and again after an upgrade that brings new functions. Raises 42704 for
-- a role that does not exist.
create or replace function fence.grant_to(p_role name)
returns void language sql set search_path = pg_catalog, pg_temp as $$
    select fence.grant_outer('fence', p_role)
$$;
