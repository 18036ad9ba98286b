-- fence.bypass: who and what could write around the guard. A row is a fact to judge, not a fault: the owner
-- is always among them. kind:
--   'owner', 'superuser', 'member of owner'  may do anything to the guard's and the ledger's tables
--   'table privilege'                        was given a right to write to one of their tables
--   'function privilege'                     may call a function that is only meant for the guard itself
--   'trigger'                                a trigger that keeps marks is switched off
--   'setting'                                switches triggers off, or durability
create or replace function fence.bypass()
returns table (kind text, subject text, finding text)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    with owned as (
        select s.oid, s.nspname, s.nspowner from pg_namespace s where s.nspname in ('fence', 'credit')
    ), outer_functions as (
        select unnest(array[
            'fence.open', 'fence.admit', 'fence.close', 'fence.mark', 'fence.openings', 'fence.refusals',
            'fence.audit', 'fence.blockers', 'fence.bypass', 'credit.open_account', 'credit.grant',
            'credit.charge', 'credit.balance', 'credit.charged', 'credit.entries', 'credit.refused',
            'credit.audit']) as name
    )
    select 'owner', r.rolname::text, format('owns schema %s', o.nspname)
    from owned o join pg_roles r on r.oid = o.nspowner
    union all
    select 'superuser', r.rolname::text, 'may write to every table'
    from pg_roles r where r.rolsuper
    union all
    select 'member of owner', r.rolname::text, format('may act as %s, the owner of %s', w.rolname, o.nspname)
    from owned o
    join pg_roles w on w.oid = o.nspowner
    join pg_roles r on r.oid <> w.oid and not r.rolsuper and pg_has_role(r.oid, w.oid, 'member')
    union all
    select 'table privilege', coalesce(r.rolname, 'PUBLIC')::text,
           format('%s on %s.%s', a.privilege_type, o.nspname, c.relname)
    from owned o
    join pg_class c on c.relnamespace = o.oid and c.relkind in ('r', 'p', 'v', 'S')
    cross join lateral aclexplode(c.relacl) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> c.relowner and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
    union all
    select 'function privilege', coalesce(r.rolname, 'PUBLIC')::text,
           format('EXECUTE on %s.%s', o.nspname, p.proname)
    from owned o
    join pg_proc p on p.pronamespace = o.oid
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> p.proowner
      and format('%s.%s', o.nspname, p.proname) not in (select f.name from outer_functions f)
    union all
    select 'trigger', t.tgname::text, format('is switched off on %s', t.tgrelid::regclass)
    from owned o
    join pg_class c on c.relnamespace = o.oid
    join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    where t.tgenabled not in ('O', 'A')
    union all
    select 'setting', coalesce(r.rolname, 'every role')::text, s.setting
    from pg_db_role_setting d
    left join pg_roles r on r.oid = d.setrole
    cross join lateral unnest(d.setconfig) s (setting)
    where s.setting ~* '^(session_replication_role|synchronous_commit)='
      and d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
    union all
    select 'setting', 'server', format('%s is %s', s.name, s.setting)
    from pg_settings s
    where (s.name, s.setting) in (('session_replication_role', 'replica'), ('session_replication_role', 'local'),
                                  ('fsync', 'off'), ('full_page_writes', 'off'), ('zero_damaged_pages', 'on'))
$$;
