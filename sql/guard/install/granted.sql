-- Which role was given which function of schema $1, and whether it may give it on. Asked before the functions are
-- replaced: one whose parameters change is a new function to Postgres, without its grants. PUBLIC is no role, and is not
-- asked for: no function is for everybody.
select r.rolname::text, p.proname::text, bool_or(a.is_grantable)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
cross join lateral aclexplode(p.proacl) a
join pg_roles r on r.oid = a.grantee
where n.nspname = $1 and a.grantee <> p.proowner and a.privilege_type = 'EXECUTE'
group by r.rolname, p.proname
order by p.proname, r.rolname
