-- fence.bypass_guard: the part of fence.bypass that is about the schemas of the guard and of what is installed beside
-- it, and about what concerns every table of the database or the server.
create or replace function fence.bypass_guard()
returns table (kind text, subject text, finding text)
language sql stable as $$
    with acts_as as materialized (
        select a.* from fence.acts_as() a
    ), owned as (
        select s.oid, s.nspname, s.nspowner
        from fence.installed i join pg_namespace s on s.nspname = i.schema_name
    ), relations as (
        select c.oid, c.relname, c.relowner, c.relacl, o.nspname, o.nspowner
        from owned o
        join pg_class c on c.relnamespace = o.oid and c.relkind in ('r', 'p', 'v', 'S')
    ), privileges as (
        select c.nspname, c.relname, c.relowner, a.grantee, a.privilege_type
        from relations c cross join lateral aclexplode(c.relacl) a
        union all
        select c.nspname, c.relname, c.relowner, a.grantee, format('%s (%s)', a.privilege_type, t.attname)
        from relations c
        join pg_attribute t on t.attrelid = c.oid
        cross join lateral aclexplode(t.attacl) a
    )
    select 'owner', r.rolname::text, format('owns schema %s', o.nspname)
    from owned o join pg_roles r on r.oid = o.nspowner
    union all
    select 'owner', r.rolname::text, format('owns %s.%s', c.nspname, c.relname)
    from relations c join pg_roles r on r.oid = c.relowner
    where c.relowner <> c.nspowner
    union all
    select 'owner', r.rolname::text, format('owns function %s.%s', o.nspname, p.proname)
    from owned o
    join pg_proc p on p.pronamespace = o.oid and p.proowner <> o.nspowner
    join pg_roles r on r.oid = p.proowner
    union all
    select 'superuser', r.rolname::text, 'may write to every table'
    from pg_roles r where r.rolsuper
    union all
    select 'superuser', r.rolname::text, format('may become one, as a member of %s', w.rolname)
    from pg_roles w
    join acts_as a on a.acts_as = w.oid and a.actor <> w.oid
    join pg_roles r on r.oid = a.actor
    where w.rolname in ('pg_write_server_files', 'pg_execute_server_program')
       -- As members of the owner, those of a superuser that owns the guard are named below.
       or w.rolsuper and w.oid not in (select o.nspowner from owned o)
    union all
    select 'member of owner', r.rolname::text, 'may grant itself the owner (CREATEROLE before Postgres 16)'
    from pg_roles r
    where r.rolcreaterole and not r.rolsuper and current_setting('server_version_num')::int < 160000
    union all
    select 'member of owner', r.rolname::text, format('may act as %s, the owner of %s', w.rolname, o.nspname)
    from owned o
    join pg_roles w on w.oid = o.nspowner
    join acts_as a on a.acts_as = w.oid and a.actor <> w.oid
    join pg_roles r on r.oid = a.actor
    union all
    select 'table privilege', coalesce(r.rolname, 'PUBLIC')::text,
           format('%s on %s.%s', p.privilege_type, p.nspname, p.relname)
    from privileges p
    left join pg_roles r on r.oid = p.grantee
    where p.grantee <> p.relowner and p.privilege_type ~ '^(INSERT|UPDATE|DELETE|TRUNCATE|TRIGGER)'
    union all
    select 'table privilege', r.rolname::text, 'may write to every table, as a member of pg_write_all_data'
    from pg_roles w
    join acts_as a on a.acts_as = w.oid and a.actor <> w.oid
    join pg_roles r on r.oid = a.actor
    where w.rolname = 'pg_write_all_data'
    union all
    select 'schema privilege', coalesce(r.rolname, 'PUBLIC')::text, format('CREATE on schema %s', o.nspname)
    from owned o
    join pg_namespace s on s.oid = o.oid
    cross join lateral aclexplode(s.nspacl) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> o.nspowner and a.privilege_type = 'CREATE'
    union all
    select 'function privilege', coalesce(r.rolname, 'PUBLIC')::text,
           format('EXECUTE on %s.%s', o.nspname, p.proname)
    from owned o
    join pg_proc p on p.pronamespace = o.oid
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> p.proowner and fence.audience(p.oid) is null
    union all
    select 'function privilege', 'PUBLIC', format('EXECUTE on %s.%s', o.nspname, p.proname)
    from owned o
    join pg_proc p on p.pronamespace = o.oid and fence.audience(p.oid) is not null
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    where a.grantee = 0
    union all
    select 'operator', r.rolname::text, format('EXECUTE on %s.%s', o.nspname, p.proname)
    from owned o
    join pg_proc p on p.pronamespace = o.oid and fence.audience(p.oid) = 'operator'
    cross join lateral aclexplode(p.proacl) a
    join pg_roles r on r.oid = a.grantee
    where a.grantee <> p.proowner
    union all
    select 'trigger', t.tgname::text, format('is not the guard''s own, on %s.%s', c.nspname, c.relname)
    from relations c
    join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    join pg_proc p on p.oid = t.tgfoid
    where t.tgqual is not null or p.proname not like 'keep\_%' or p.pronamespace not in (select w.oid from owned w)
    union all
    select 'trigger', r.rulename::text, format('is a rule on %s.%s', c.nspname, c.relname)
    from relations c
    join pg_rewrite r on r.ev_class = c.oid
    where r.rulename <> '_RETURN'
    union all
    select 'trigger', t.tgname::text, format('is switched off on %s', t.tgrelid::regclass)
    from owned o
    join pg_class c on c.relnamespace = o.oid
    join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    where t.tgenabled not in ('O', 'A')
    union all
    -- A function keep_T keeps the rows of table T, by the triggers T_keeps and T_keeps_all.
    select 'trigger', k.trigger_name, format('is gone from %s.%s', o.nspname, k.table_name)
    from owned o
    join pg_proc p on p.pronamespace = o.oid and p.prorettype = 'trigger'::regtype and p.proname like 'keep\_%'
    cross join lateral (select substr(p.proname, 6) as table_name) n
    cross join lateral (values (n.table_name, n.table_name || '_keeps'),
                               (n.table_name, n.table_name || '_keeps_all')) k (table_name, trigger_name)
    where not exists (select from pg_trigger t join pg_class c on c.oid = t.tgrelid
                      where c.relnamespace = o.oid and c.relname = k.table_name
                        and t.tgname = k.trigger_name and t.tgfoid = p.oid)
    union all
    select 'setting', coalesce(r.rolname, 'every role')::text, s.setting
    from pg_db_role_setting d
    left join pg_roles r on r.oid = d.setrole
    cross join lateral unnest(d.setconfig) s (setting)
    where s.setting ~* '^(session_replication_role|synchronous_commit)='
      and d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
    union all
    select 'setting', p.oid::regprocedure::text, format('runs with %s', s.setting)
    from pg_proc p cross join lateral unnest(p.proconfig) s (setting)
    where s.setting ~* '^session_replication_role='
    union all
    select 'setting', coalesce(r.rolname, 'PUBLIC')::text, format('may %s %s', a.privilege_type, p.parname)
    from pg_parameter_acl p
    cross join lateral aclexplode(p.paracl) a
    left join pg_roles r on r.oid = a.grantee
    where p.parname = 'session_replication_role' and r.rolsuper is not true
    union all
    select 'setting', 'server', format('%s is %s', s.name, s.setting)
    from pg_settings s
    where (s.name, s.setting) in (('session_replication_role', 'replica'), ('session_replication_role', 'local'),
                                  ('fsync', 'off'), ('full_page_writes', 'off'), ('zero_damaged_pages', 'on'))
$$;
