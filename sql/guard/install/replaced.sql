-- The statements that drop the functions of schema $1, before its new set comes: Postgres replaces neither a
-- result nor a parameter's name in place. Trigger functions come with migrations and stay.
select format('drop function %s', p.oid::regprocedure)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
