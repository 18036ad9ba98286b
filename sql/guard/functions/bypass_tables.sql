-- fence.bypass_tables: the part of fence.bypass that is about the tables of services: who may take the guard from
-- under a protected table, and what of its protection is missing. fence.protect, called again, mends the latter.
create or replace function fence.bypass_tables()
returns table (kind text, subject text, finding text) language sql stable as $$
    with acts_as as materialized (
        select a.* from fence.acts_as() a
    ), guarded as (
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
    join acts_as a on a.acts_as = w.oid and a.actor <> w.oid
    join pg_roles r on r.oid = a.actor
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
    select format('%s table', case c.relkind when 'f' then 'foreign' else 'unlogged' end), g.relation::text,
           format('%s, and %s protected table %s', g.finding,
                  case g.relation when g.root then 'is' else 'a part of' end, g.root)
    from gap g join pg_class c on c.oid = g.relation where g.trigger_name is null
    union all
    -- fence.protect refuses it; a child that came later may have several parents all the same.
    select 'trigger', 'fence_guards_rows',
           format('can judge by one column only, on protected table %s: it is a part of %s', g.relation,
                  string_agg(format('%s (%I)', g.root, g.resource_column), ' and of ' order by g.root::text))
    from guarded g where g.resource_column <> ''
    group by g.relation having count(distinct g.resource_column) > 1
    union all
    select 'trigger', w.rulename::text, format('is a rule on protected table %s', o.relation)
    from owned o join pg_rewrite w on w.ev_class = o.relation and w.rulename <> '_RETURN'
    union all
    select 'subscription', s.subname::text,
           format('writes to protected table %s, for which no trigger fires', o.relation)
    from owned o
    join pg_subscription_rel l on l.srrelid = o.relation
    join pg_subscription s on s.oid = l.srsubid
    union all
    -- From Postgres 16 on it takes no superuser: whoever owns one runs it with rights of its own. Who may act as the
    -- owner of every table that it could write to is named for that.
    select distinct 'subscription', r.rolname::text,
           'may make one that writes to a protected table, for which no trigger fires'
    from pg_roles s
    join acts_as a on pg_has_role(a.acts_as, s.oid, 'usage')
                      and has_database_privilege(a.acts_as, current_database(), 'create')
    join pg_roles w on w.oid = a.acts_as and not w.rolsuper
    join pg_roles r on r.oid = a.actor
    where s.rolname = 'pg_create_subscription'
      and exists (select from owned o
                  where has_table_privilege(w.oid, o.relation, 'insert, update, delete')
                    and (r.oid, o.relowner) not in (select m.actor, m.acts_as from acts_as m))
$$;
