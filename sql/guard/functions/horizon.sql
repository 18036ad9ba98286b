-- fence.horizon: what somebody needs who follows openings and refusals by their numbers, and must not miss one. A number
-- is drawn before its row is committed, so a lower one may appear after a higher one.
--
-- last_seq   the number that was drawn last, 0 before the first
-- oldest     the oldest transaction in flight; every transaction before it has ended
-- upcoming   the next transaction to begin is this one, or a later one
--
-- Whoever draws a number has a transaction id already (a lock or fence.refuse has given it one). So: take last_seq from
-- one call, upcoming from a later one; as soon as oldest is not below that, no row at or below last_seq is in flight any
-- more, and what a statement reads from then on lacks none of them.
create or replace function fence.horizon(out last_seq bigint, out oldest bigint, out upcoming bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select case when s.is_called then s.last_value else 0 end,
           pg_snapshot_xmin(x)::text::bigint, pg_snapshot_xmax(x)::text::bigint
    from fence.seq s, pg_current_snapshot() x
$$;
