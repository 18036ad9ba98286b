-- fence.bypass_tables: the part of fence.bypass that is about the tables of services: who may take the guard from
-- under a protected table, and what of its protection is missing. fence.protect, called again, mends the latter.
create or replace function fence.bypass_tables()
returns table (kind text, subject text, finding text) language sql stable as $$
    with guarded as (
        select g.* from fence.guarded() g
    ), owned as (
        select distinct g.relation, c.relowner, c.relacl from guarded g join pg_class c on c.oid = g.relation
    ), gap as (
        select d.root, g.* from (select distinct root, resource_column from guarded) d
        cross join lateral fence.gaps(d.root, d.resource_column) g
    )
    select 'owner', r.rolname::text, format('owns protected table %s', o.relation)
    from owned o join pg_roles r on r.oid = o.relowner
    union all
    select 'member of owner', r.rolname::text, format('may act as %s, the owner of %s', w.rolname, o.relation)
    from owned o
    join pg_roles w on w.oid = o.relowner and not w.rolsuper
    join pg_roles r on r.oid <> w.oid and not r.rolsuper and pg_has_role(r.oid, w.oid, 'member')
    union all
    select 'table privilege', coalesce(r.rolname, 'PUBLIC')::text, format('%s on %s', a.privilege_type, o.relation)
    from owned o
    cross join lateral aclexplode(o.relacl) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> o.relowner and a.privilege_type in ('TRIGGER', 'TRUNCATE')
    union all
    select 'trigger', g.trigger_name::text, format('%s on protected table %s', g.finding, g.relation)
    from gap g where g.trigger_name is not null
    union all
    select 'foreign table', g.relation::text, format('%s, and a part of protected table %s', g.finding, g.root)
    from gap g where g.trigger_name is null
    union all
    select 'trigger', w.rulename::text, format('is a rule on protected table %s', o.relation)
    from owned o join pg_rewrite w on w.ev_class = o.relation and w.rulename <> '_RETURN'
    union all
    select 'subscription', s.subname::text,
           format('writes to protected table %s, for which no trigger fires', o.relation)
    from owned o
    join pg_subscription_rel l on l.srrelid = o.relation
    join pg_subscription s on s.oid = l.srsubid
$$;
