-- The functions of schema $1, before its new set comes: number and name. Trigger functions that come with migrations
-- are not of the set, and those that are of it are always replaced in place, as tables hang on them.
select p.oid::bigint, p.proname::text
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
order by p.oid
