-- fence.acts_as: who can do what a role can, by being a member of it. Each role acts as itself. Superusers are not
-- followed: who may act as one is not named for less (fence.bypass).
--
-- What a membership is good for is an option of each grant from Postgres 16 on: SET (become the role), INHERIT (have
-- its rights), ADMIN (grant it anew, to oneself too, with every option). A grant without any of them is no way, and
-- pg_has_role(…, 'MEMBER') is true of it. Before 16 every member may become the role.
--
-- A role that one has the rights of, and has not become, goes on with what rights do: inherit, and grant. Hence
-- is_become. Nobody is made a member of pg_database_owner: it is the owner of the database, which inherits from it.
create or replace function fence.acts_as()
returns table (actor oid, acts_as oid) language sql stable as $$
    with recursive grants (member, role, sets, inherits, admins) as (
        select m.member, m.roleid,
               coalesce((to_jsonb(m) ->> 'set_option')::boolean, true),
               coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true), m.admin_option
        from pg_auth_members m
        union all
        select d.datdba, 'pg_database_owner'::regrole, true, true, false
        from pg_database d where d.datname = current_database()
    ), way (actor, role, is_become) as (
        select r.oid, r.oid, true from pg_roles r where not r.rolsuper
        union
        select w.actor, g.role, b.is_become
        from way w
        join pg_roles r on r.oid = w.role and not r.rolsuper
        join grants g on g.member = r.oid
        cross join lateral (values (true, w.is_become and g.sets or g.admins),
                                   (false, g.inherits)) b (is_become, is_way)
        where b.is_way
    )
    select distinct w.actor, w.role from way w
$$;
