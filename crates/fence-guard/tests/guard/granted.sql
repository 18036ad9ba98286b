-- What pg_monitor was given on the guard's tables and functions.
select format('%s: %s%s', g.name, a.privilege_type, case when a.is_grantable then ', to give on' end)
from (
    select c.oid::regclass::text as name, c.relacl as acl from pg_class c
    where c.relnamespace = 'fence'::regnamespace
    union all
    select p.oid::regprocedure::text, p.proacl from pg_proc p where p.pronamespace = 'fence'::regnamespace) g
cross join lateral aclexplode(g.acl) a
where a.grantee = 'pg_monitor'::regrole
order by 1
