-- credit.charge: takes credits from an account, once per request id, and only under the newest opening.
--
-- outcome, in this order of precedence:
--   'applied', 'request mismatch'                 as found by an earlier call with this request id
--   'stale', 'closed', 'conflict', 'not open'     refused by the guard, and kept as a row
--   'unknown account', 'closed account', 'frozen account'
--   'insufficient credit'                         what is held is not there to be charged
--   'applied'                                     now
-- A refusal does not use up the request id.
--
-- On its own this is one statement that admits and charges. In a transaction that was admitted already,
-- the permit must be among the admitted ones, and is looked at again. Raises ZF001 outside READ
-- COMMITTED, ZF002 when the transaction has written without being admitted, ZF004 on bad arguments,
-- ZF006 when the permit is not among the admitted ones or does not hold.
create or replace function credit.charge(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid,
    p_account text, p_amount bigint, p_purpose text, p_call text default 'charge')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
begin
    perform fence.arm('charge', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform fence.check_permit(p_resource, p_fence, p_holder);
    perform credit.check_request(p_request, p_account, p_amount, p_purpose);

    v_first := credit.replay(p_request, 'charge', p_account, -p_amount, p_purpose, p_resource, null, false);
    if v_first.outcome is not null then
        return v_first;
    end if;

    select g.reason, g.mark, g.mark_holder into v_now.outcome, v_now.mark, v_now.mark_holder
        from fence.admit_within(p_resource collate "C", p_fence, p_holder) g;
    if v_now.outcome is null then
        v_now := credit.post(p_request, 'charge', p_account, 'spent', -p_amount, p_purpose,
                             p_resource, p_fence, p_holder);
    end if;
    if v_now.outcome = 'applied' then
        return v_now;
    end if;

    -- Not applied by this call, which has waited for locks since it looked: a twin with this request id
    -- may have committed meanwhile, and its outcome comes before any refusal.
    v_first := credit.replay(p_request, 'charge', p_account, -p_amount, p_purpose, p_resource, null, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    if v_now.mark is not null then
        perform fence.refuse(
            (p_resource, p_fence, p_holder)::fence.permit, 'charge', p_request,
            v_now.outcome, v_now.mark, v_now.mark_holder,
            jsonb_build_object('account', p_account, 'amount', p_amount, 'purpose', p_purpose));
    end if;
    return v_now;
end $$;
