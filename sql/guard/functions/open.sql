-- fence.open: raises the mark of a resource to my fence and waits out every older write in flight.
--
-- Call it before the first read that a decision rests on: after it has returned, no write under a
-- lower fence commits any more, also none that was already past its check (S2).
--
-- outcome        'opened', 'already open' (the same holder again: a lost reply is retried safely),
--                'stale' (a higher fence was opened), 'conflict' (another holder opened this number),
--                'closed' (I have closed it: closed never heals), 'busy' (an opening that the guard
--                minted itself is unclosed and valid until valid_until)
-- mark           the mark after the call, mark_holder who opened it
-- seq            the number of the opening (opened, already open)
-- takeover       opened over an opening that was not closed (opened, already open)
-- valid_for      how long the opener means to hold: for liveness and figures, never for safety
-- wait           how long it may wait for each lock, that is for the writers in flight; then it raises
--                55P03, nothing has changed, and fence.blockers says whom it waited for
--
-- Once per transaction and first in it. Raises ZF001 outside READ COMMITTED, ZF002 when the transaction
-- has already written or locked, ZF004 on bad arguments, 40001 when the row was folded while it waited.
--
-- A name is its bytes, whatever collation the column has that it comes from.
create or replace function fence.open(
    p_resource text, p_fence bigint, p_holder uuid, p_valid_for interval,
    p_wait interval default '10 s', p_call text default 'open',
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('open', p_call, p_valid_for, p_wait);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    select * into outcome, mark, mark_holder, seq, valid_until, takeover
        from fence.raise_mark(p_resource collate "C", p_fence, p_holder, p_valid_for);
end $$;
