-- For each table of both schemas, a query for its rows as text, with its name in front.
select format('select %L || t::text from %s.%s t', c.relname || ' ', c.relnamespace::regnamespace, c.relname)
from pg_class c
where c.relnamespace::regnamespace::text in ('fence', 'credit') and c.relkind in ('r', 'p')
order by 1
