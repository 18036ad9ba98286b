-- The statements that drop what schema $1 has of an older set: every function that this transaction has not
-- just replaced. Trigger functions come with migrations and stay.
select format('drop function %s', p.oid::regprocedure)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.prorettype <> 'trigger'::regtype and p.xmin <> pg_current_xact_id()::xid
