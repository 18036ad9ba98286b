-- The statements that take the functions of schema $1 from every role but their owner: from PUBLIC, to which Postgres
-- gives every new one, and from whomever default privileges name. What roles were granted on outer functions is given
-- back after it.
select format('revoke all on function %s from %s cascade', p.oid::regprocedure,
              case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
left join pg_roles r on r.oid = a.grantee
where n.nspname = $1 and a.grantee <> p.proowner
