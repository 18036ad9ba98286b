-- Every row that says what the two schemas are made of, with the transaction that wrote it: a function
-- that is replaced by its own text gets a new one.
select format('%s %s %s %s', r.tableoid::regclass, r.oid, r.xmin, r.name)
from (
    select tableoid, oid, xmin, nspname::text as name from pg_namespace where nspname in ('fence', 'credit')
    union all
    select tableoid, oid, xmin, proname::text || proacl::text from pg_proc
    where pronamespace::regnamespace::text in ('fence', 'credit')
    union all
    select tableoid, oid, xmin, relname::text from pg_class
    where relnamespace::regnamespace::text in ('fence', 'credit')
    union all
    select tableoid, oid, xmin, conname::text from pg_constraint
    where connamespace::regnamespace::text in ('fence', 'credit')
    union all
    select t.tableoid, t.oid, t.xmin, t.tgname::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace::regnamespace::text in ('fence', 'credit')
    union all
    select tableoid, 0, xmin, installed::text from fence.installed
    union all
    select tableoid, 0, xmin, version::text from fence.migration
    union all
    select tableoid, 0, xmin, version::text from credit.migration) r
order by 1
