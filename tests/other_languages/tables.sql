-- The tables and views of both schemas.
select c.oid::regclass::text
from pg_class c
where c.relnamespace in ('fence'::regnamespace, 'credit'::regnamespace) and c.relkind in ('r', 'v')
