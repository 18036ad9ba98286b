-- The statements that give role $3 the functions of schema $1 that are called $2, with the right to give them on if
-- $4, where they are still meant for anybody but the schema itself. The same rule as fence.audience, which is being
-- replaced just now. What was granted on an inner function by hand is a way around the guard, and is not given back.
select format('grant execute on function %s to %I%s', p.oid::regprocedure, $3::text,
              case when $4::boolean then ' with grant option' else '' end)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.proname = $2
  and (p.prosecdef or p.proname in ('protect', 'unprotect', 'check_row', 'check_truncate'))
