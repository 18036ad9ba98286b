-- credit.capture: charges what was held, or a part of it, and frees the rest: one entry, one resolution. p_hold is the
-- hold's request id, p_request one of its own.
--
-- Who may: whoever has the hold's resource open now. The hold was made under this opening, or under an earlier one
-- that was closed; what was made under one that was overtaken is void. A hold is resolved once: of two that capture it
-- with request ids of their own, the second hears 'hold captured' (seq and at say when).
--
-- outcome, in this order of precedence:
--   'applied', 'request mismatch'                 as found by an earlier call with this request id
--   'stale', 'closed', 'conflict', 'not open'     refused by the guard, and kept as a row
--   'unknown hold'
--   'hold captured', 'hold released', 'hold expired', 'hold void'
--   'frozen account'                              a closed account has no open hold
--   'other resource'                              it was made under another resource
--   'exceeds hold'                                allowed says what is held
--   'applied'                                     now; seq is the entry's
-- Rides, and raises, as credit.charge.
create or replace function credit.capture(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid, p_hold uuid, p_amount bigint,
    p_call text default 'capture')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
begin
    perform fence.arm('capture', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    perform credit.check_follow_up(p_request, p_hold, p_amount);

    v_first := credit.replay(p_request, 'capture', null, -p_amount, null, p_resource, p_hold, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    select g.reason, g.mark, g.mark_holder into v_now.outcome, v_now.mark, v_now.mark_holder
        from fence.admit_within(p_resource collate "C", p_fence, p_holder) g;
    if v_now.outcome is null then
        v_now := credit.capture_hold(p_request, p_hold, p_amount, p_resource, p_fence, p_holder);
    end if;
    if v_now.outcome = 'applied' then
        return v_now;
    end if;

    -- As in charge: a twin may have committed meanwhile.
    v_first := credit.replay(p_request, 'capture', null, -p_amount, null, p_resource, p_hold, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    if v_now.mark is not null then
        perform fence.refuse(
            (p_resource, p_fence, p_holder)::fence.permit, 'capture', p_request,
            v_now.outcome, v_now.mark, v_now.mark_holder, credit.tell_hold(p_hold, p_amount));
    end if;
    return v_now;
end $$;
