-- The statements that give role $3 the outer functions of schema $1 that are called $2.
select format('grant execute on function %s to %I', p.oid::regprocedure, $3::text)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.proname = $2 and p.prosecdef
