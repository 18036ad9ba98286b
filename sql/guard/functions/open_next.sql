-- fence.open_next: opens a resource without a lease, under a fence that the guard mints itself: mark + 1.
-- For a service that must go on while Redis is down. Safe like any opening, since every other one is
-- refused or comes after it; and it does not take over what another holder still means to hold.
--
-- outcome        'opened'; 'already open' (this holder's own unclosed opening: a lost reply is retried
--                safely); 'busy' (another's opening is unclosed, and valid until valid_until by this
--                database's clock); 'closed' (this holder has closed its opening) and 'stale' (it was
--                overtaken): a new acquisition takes a new holder. Both are told for as long as the opening is
--                kept, also after fence.fold; whom fence.prune_openings has forgotten opens as a new holder, so
--                keep openings for longer than any call may be on its way
-- mark           the mark after the call: the fence of the opening; mark_holder who opened it. Where it was
--                folded, what it was
-- seq, takeover  as fence.open
--
-- Errors as fence.open; also ZF004 when the resource has no fence left.
create or replace function fence.open_next(
    p_resource text, p_holder uuid, p_valid_for interval,
    p_wait interval default '10 s', p_call text default 'open_next',
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('open_next', p_call, p_valid_for, p_wait);
    perform fence.check_permit(p_resource, 1, p_holder);
    select * into outcome, mark, mark_holder, seq, valid_until, takeover
        from fence.raise_mark(p_resource collate "C", null, p_holder, p_valid_for);
end $$;
