-- The databases whose name begins with $1.
select datname::text from pg_database where starts_with(datname::text, $1) and datallowconn order by oid desc
