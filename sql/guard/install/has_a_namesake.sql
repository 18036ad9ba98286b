-- Whether another function of the same schema has the name of number $1.
select exists (
    select from pg_proc p
    join pg_proc other on other.proname = p.proname and other.pronamespace = p.pronamespace and other.oid <> p.oid
    where p.oid = $1::oid)
