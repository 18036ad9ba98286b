-- Which of the functions that bear these names the role that asks may call.
select format('%s.%s', n.nspname, p.proname), bool_and(has_function_privilege(p.oid, 'execute'))
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where format('%s.%s', n.nspname, p.proname) = any ($1)
group by 1 order by 1
