-- The functions of both schemas that the role $1 may call.
select format('%s.%s', p.pronamespace::regnamespace, p.proname)
from pg_proc p
where p.pronamespace::regnamespace::text in ('fence', 'credit')
  and has_function_privilege($1, p.oid, 'execute')
order by 1
