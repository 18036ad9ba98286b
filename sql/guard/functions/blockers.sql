-- fence.blockers: the sessions that hold the resource's lock now: its writers in flight, or an opening.
-- Ask it when open or close came back with lock_not_available (55P03). A transaction that took the row
-- lock by hand, without the guard's functions, is not among them.
--
-- state and in_transaction_since are null for sessions of roles that the owner may not look at.
create or replace function fence.blockers(p_resource text)
returns table (pid int, application_name text, state text, in_transaction_since timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    select l.pid, a.application_name, a.state, a.xact_start
    from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and (l.classid::bigint << 32) | l.objid::bigint = fence.lock_key(p_resource)
      and l.pid <> pg_backend_pid()
    order by a.xact_start nulls last, l.pid
$$;
