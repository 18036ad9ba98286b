-- fence.bypass_owners: the part of fence.bypass that is about the owners of what protected tables lie in. Whoever
-- owns a schema may drop a table in it, whoever owns the database may drop that; neither fires a trigger.
--
-- Each role is named once for a schema and once for the database, and not at all where it may do more and is named
-- for that: superusers, whoever may act as the owner of all protected tables in the schema, and for the database
-- whoever may act as the guard's owner.
create or replace function fence.bypass_owners()
returns table (kind text, subject text, finding text) language sql stable as $$
    with acts_as as materialized (
        select a.* from fence.acts_as() a
    ), here as (
        select d.datdba from pg_database d where d.datname = current_database()
    ), part as (
        select distinct c.oid, c.relnamespace, c.relowner
        from fence.guarded() g join pg_class c on c.oid = g.relation
    ), place as (
        -- Nobody logs in as pg_database_owner: it stands for the database's owner.
        select s.oid, format('schema %I', s.nspname) as name, 'protected tables in it' as what,
               case s.nspowner when 'pg_database_owner'::regrole then h.datdba else s.nspowner end as owner
        from pg_namespace s cross join here h
        where s.oid in (select p.relnamespace from part p)
        union all
        select null, 'the database', 'it', h.datdba from here h
    )
    select case r.oid when w.oid then 'owner' else 'member of owner' end, r.rolname::text,
           case r.oid when w.oid then format('owns %s, and may drop %s', l.name, l.what)
                else format('may act as %s, the owner of %s, and drop %s', w.rolname, l.name, l.what) end
    from place l
    join pg_roles w on w.oid = l.owner and not w.rolsuper
    join acts_as a on a.acts_as = w.oid
    join pg_roles r on r.oid = a.actor
    where case when l.oid is null
               then (r.oid, (select s.nspowner from pg_namespace s where s.nspname = 'fence'))
                    not in (select o.actor, o.acts_as from acts_as o)
               else exists (select from part p
                            where p.relnamespace = l.oid
                              and (r.oid, p.relowner) not in (select o.actor, o.acts_as from acts_as o)) end
$$;
