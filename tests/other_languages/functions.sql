-- The functions of both schemas that a role is given.
select distinct p.pronamespace::regnamespace || '.' || p.proname
from pg_proc p
where p.pronamespace in ('fence'::regnamespace, 'credit'::regnamespace) and fence.audience(p.oid) is not null
