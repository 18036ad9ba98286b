-- fence.bypass_tables: the part of fence.bypass that is about the tables of services: who may take the guard from
-- under a protected table, and what of its protection is missing. fence.protect, called again, mends the latter.
create or replace function fence.bypass_tables()
returns table (kind text, subject text, finding text) language sql stable as $$
    with guarded as (
        select distinct t.tgrelid as oid from pg_trigger t
        where t.tgfoid in ('fence.check_row()'::regprocedure, 'fence.check_truncate()'::regprocedure)
    ), root as (
        -- Whose parent is guarded too is looked at with its parent.
        select g.oid, (
            select convert_from(substr(t.tgargs, 1, length(t.tgargs) - 1), getdatabaseencoding())::name
            from pg_trigger t where t.tgrelid = g.oid and t.tgfoid = 'fence.check_row()'::regprocedure limit 1) as col
        from guarded g
        where not exists (select from pg_inherits i join guarded p on p.oid = i.inhparent where i.inhrelid = g.oid)
    ), part as (
        select distinct f.relation from root r cross join lateral fence.family(r.oid) f
    ), owned as (
        select p.relation, c.relowner, c.relacl from part p join pg_class c on c.oid = p.relation
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
    from root r cross join lateral fence.gaps(r.oid, coalesce(r.col, '')) g
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
