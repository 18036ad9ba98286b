-- fence.horizon: what somebody needs who follows openings and refusals by their numbers, and must not miss one. A number
-- is drawn before its row is committed, so a lower one may appear after a higher one.
--
-- last_seq    the number that was drawn last, 0 before the first
-- in_flight   the transactions that may have drawn it, or one before it, and have not ended; good for being compared with
--             what a later call answers, and for nothing else
-- is_whole    whether those are all: not while one is prepared, which bore another name before that; not on a standby
--
-- So: take last_seq and in_flight from one call. As soon as a later one is whole and names none of these transactions, no
-- row at or below last_seq is in flight any more, and what a statement reads from then on lacks none of them.
--
-- Whoever draws a number has looked in fence.resource for a row to lock, and keeps that to its end: so it is told by
-- its lock of that table, and nobody else who takes long is among them. The number is read first, in a statement of its own: who
-- has drawn one by then, and is not among the transactions, had ended before they were read. (Of a snapshot xmax is no
-- such bound: it is the one after the highest that has *ended*, and who is in flight may lie above it.)
create or replace function fence.horizon(out last_seq bigint, out in_flight text[], out is_whole boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    last_seq := (select case when s.is_called then s.last_value else 0 end from fence.seq s);
    select coalesce(array_agg(distinct l.virtualtransaction), '{}'),
           not pg_is_in_recovery() and coalesce(bool_and(l.pid is not null), true)
        into in_flight, is_whole
    from pg_locks l
    where l.locktype = 'relation' and l.relation = 'fence.resource'::regclass and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.mode in ('RowShareLock', 'RowExclusiveLock');
end $$;
