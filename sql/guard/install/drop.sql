-- The statement that drops function number $1, if it is still there.
select format('drop function %s', p.oid::regprocedure) from pg_proc p where p.oid = $1::oid
