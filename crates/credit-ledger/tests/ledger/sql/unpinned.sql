-- Functions that run with their owner's rights under their caller's search path.
select p.oid::regprocedure::text
from pg_proc p
where p.pronamespace::regnamespace::text in ('fence', 'credit') and p.prosecdef
  and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false)
