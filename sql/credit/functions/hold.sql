-- credit.hold: sets credits of an account aside for one charge, once per request id, and only under the newest opening.
-- The hold's name is this request id. No entry is written: the balance stays, what is available of it does not.
--
-- A hold ends in one of four ways, once: captured (credit.capture), released (credit.release), expired (expires_in
-- after it was made, by the database's clock), or void: another opening has replaced the one that it was made under,
-- and that had not been closed. So whoever is overtaken leaves nothing behind that somebody could still capture. One
-- whose opening was closed is parked: it stays until it expires, and a later opening of the resource may capture it.
--
-- outcome, in this order of precedence:
--   'applied', 'request mismatch'                 as found by an earlier call with this request id
--   'stale', 'closed', 'conflict', 'not open'     refused by the guard, and kept as a row
--   'unknown account', 'closed account', 'frozen account'
--   'insufficient credit'
--   'applied'                                     now; until says when it expires
-- A hold is not made again under its request id: where state says that a replayed one is void or expired, whoever runs the
-- job again takes a new id for its hold, and the old one for its capture: that is what keeps it from being paid twice.
-- seq is the hold's number. expires_in is at most 366 days. Rides, and raises, as credit.charge.
create or replace function credit.hold(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid,
    p_account text, p_amount bigint, p_purpose text, p_expires_in interval, p_call text default 'hold')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
    v_expires_in interval;
begin
    perform fence.arm('hold', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    perform credit.check_request(p_request, p_account, p_amount, p_purpose);
    v_expires_in := credit.check_expiry(p_expires_in);

    v_first := credit.replay_hold(p_request, p_account, p_amount, p_purpose, p_resource, v_expires_in);
    if v_first.outcome is not null then
        return v_first;
    end if;
    select g.reason, g.mark, g.mark_holder into v_now.outcome, v_now.mark, v_now.mark_holder
        from fence.admit_within(p_resource collate "C", p_fence, p_holder) g;
    if v_now.outcome is null then
        v_now := credit.set_aside(p_request, p_account, p_amount, p_purpose, v_expires_in,
                                  p_resource, p_fence, p_holder);
    end if;
    if v_now.outcome = 'applied' then
        return v_now;
    end if;

    -- As in charge: a twin may have committed meanwhile.
    v_first := credit.replay_hold(p_request, p_account, p_amount, p_purpose, p_resource, v_expires_in);
    if v_first.outcome is not null then
        return v_first;
    end if;
    if v_now.mark is not null then
        perform fence.refuse(
            (p_resource, p_fence, p_holder)::fence.permit, 'hold', p_request,
            v_now.outcome, v_now.mark, v_now.mark_holder,
            jsonb_build_object('account', p_account, 'amount', p_amount, 'purpose', p_purpose));
    end if;
    return v_now;
end $$;
