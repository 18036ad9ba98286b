-- fence.grant_operator: lets a role tidy up: fold and prune_… of the guard and of every schema installed beside
-- it, and nothing on their tables. Meant for a role of its own, such as a scheduler's: an application that can
-- prune can take away what tells of its own refused writes.
-- To be called by the schemas' owner, and again after an upgrade that brings new functions. Raises 42704 for a
-- role that does not exist.
create or replace function fence.grant_operator(p_role name)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.grant_outer(i.schema_name, p_role, 'operator') from fence.installed i;
end $$;
