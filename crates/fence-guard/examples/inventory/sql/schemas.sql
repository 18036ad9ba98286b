select string_agg(nspname, ', ' order by nspname) from pg_namespace
where nspname not in ('information_schema', 'public') and nspname not like 'pg\_%'
