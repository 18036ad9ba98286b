-- The statements that take from every role but the owner what default privileges gave it on schema $1. Run once,
-- when the schema is new; what its owner grants later stays.
select format('revoke all on %s %s from %s',
              case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass,
              case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join lateral aclexplode(c.relacl) a
left join pg_roles r on r.oid = a.grantee
where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'S') and a.grantee <> c.relowner
union
select format('revoke all on function %s from %s', p.oid::regprocedure,
              case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
cross join lateral aclexplode(p.proacl) a
left join pg_roles r on r.oid = a.grantee
where n.nspname = $1 and a.grantee <> p.proowner
