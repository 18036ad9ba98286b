-- Holds every write of these tables at this gate, to the end of the transaction.
--   $1  the tables
--   $2  'in statement' or 'before commit'
select pg_advisory_xact_lock(fence_kit.lock_of(t.name, $2)) from unnest($1::text[]) t (name)
