-- The tables, views and sequences of schemas $1, as 'schema.name'. Asked before the migrations: whatever comes with
-- them is stripped of what default privileges gave.
select format('%s.%s', n.nspname, c.relname)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any($1::text[]) and c.relkind in ('r', 'p', 'v', 'S')
