-- fence.blockers: who holds the resource's lock now: the sessions of its writers in flight, or of an opening, and
-- writers that have made a prepared transaction of theirs. Ask it when open or close came back with
-- lock_not_available (55P03). A transaction that took the row lock by hand, without the guard's functions, is
-- not among them.
--
-- A session has a pid: pg_terminate_backend(pid) ends it. A prepared transaction has no session any more, no
-- timeout ends it, and it survives a restart: pid is null, state is 'prepared', and only COMMIT PREPARED or
-- ROLLBACK PREPARED of prepared_gid, in this database, lets go of its locks.
--
-- state and in_transaction_since are null for sessions of roles that the owner may not look at; for a prepared
-- transaction the time is that of its PREPARE.
create or replace function fence.blockers(p_resource text)
returns table (pid int, application_name text, state text, in_transaction_since timestamptz, prepared_gid text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.pid, a.application_name,
           case when l.pid is null then 'prepared' else a.state end,
           coalesce(a.xact_start, p.prepared), p.gid
    from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    -- What is prepared locks its transaction id too, and that is what its gid is listed by.
    left join pg_locks t on l.pid is null and t.pid is null
        and t.locktype = 'transactionid' and t.virtualtransaction = l.virtualtransaction
    left join pg_prepared_xacts p on p.transaction = t.transactionid
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and (l.classid::bigint << 32) | l.objid::bigint = fence.lock_key(p_resource)
      and l.pid is distinct from pg_backend_pid()
      -- Without either it is a prepared one that has ended between the looks.
      and (l.pid is not null or p.gid is not null)
    order by coalesce(a.xact_start, p.prepared) nulls last, l.pid, p.gid
$$;
