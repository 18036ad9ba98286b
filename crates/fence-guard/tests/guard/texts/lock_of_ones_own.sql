-- fence.lock_key of a guard without the fair lock: each session locks a key of its own, and only the row
-- locks are left.
create or replace function fence.lock_key(p_resource text)
returns bigint language sql volatile as $$ select pg_backend_pid()::bigint $$;
