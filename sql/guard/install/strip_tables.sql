-- The statements that take from every role but the owner what default privileges gave it on the tables, views and
-- sequences of schema $1 that have come just now: on those that were there before ($2), what its owner granted stays.
select format('revoke all on %s %s from %s cascade',
              case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass,
              case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join lateral aclexplode(c.relacl) a
left join pg_roles r on r.oid = a.grantee
where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'S') and a.grantee <> c.relowner
  and format('%s.%s', n.nspname, c.relname) <> all($2::text[])
