-- credit.release: frees what was held, and nothing is charged. Under the newest opening of the hold's resource, as
-- credit.capture: a late holder must not take away what its successor is about to capture. Whoever has no opening any
-- more has nothing to do: what it held is void, or expires.
--
-- outcome, in this order of precedence:
--   'applied', 'request mismatch'                 as found by an earlier call with this request id
--   'stale', 'closed', 'conflict', 'not open'     refused by the guard, and kept as a row
--   'unknown hold'
--   'hold captured', 'hold released', 'hold expired', 'hold void'
--   'other resource'                              it was made under another resource. A frozen account gets its
--                                                 credits back, and a closed one has no open hold
--   'applied'                                     now; seq is the number of the release
-- Rides, and raises, as credit.charge.
create or replace function credit.release(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid, p_hold uuid, p_call text default 'release')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
begin
    perform fence.arm('release', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    perform credit.check_follow_up(p_request, p_hold, 1);

    v_first := credit.replay_release(p_request, p_hold, p_resource);
    if v_first.outcome is not null then
        return v_first;
    end if;
    select g.reason, g.mark, g.mark_holder into v_now.outcome, v_now.mark, v_now.mark_holder
        from fence.admit_within(p_resource collate "C", p_fence, p_holder) g;
    if v_now.outcome is null then
        v_now := credit.release_hold(p_request, p_hold, p_resource, p_fence, p_holder);
    end if;
    if v_now.outcome = 'applied' then
        return v_now;
    end if;

    -- As in charge: a twin may have committed meanwhile.
    v_first := credit.replay_release(p_request, p_hold, p_resource);
    if v_first.outcome is not null then
        return v_first;
    end if;
    if v_now.mark is not null then
        perform fence.refuse(
            (p_resource, p_fence, p_holder)::fence.permit, 'release', p_request,
            v_now.outcome, v_now.mark, v_now.mark_holder, credit.tell_hold(p_hold));
    end if;
    return v_now;
end $$;
