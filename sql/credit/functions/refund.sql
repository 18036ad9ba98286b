-- credit.refund: gives back what a charge took, or a part of it: as often as asked for, and never more in all than was
-- charged. p_of is the charge's request id (a capture is a charge), p_request one of its own.
--
-- It takes no permit: nothing that its caller has read decides it. The one thing that could be read stale, what other
-- refunds have given back already, is added up here, behind the lock of the account that all of them wait for.
--
-- outcome: 'applied', 'request mismatch', 'unknown charge', 'closed account', 'exceeds charge' (allowed says what can
-- still be refunded), 'balance overflow'. A frozen account gets its credits back.
-- Raises ZF001 outside READ COMMITTED, ZF004 on bad arguments.
create or replace function credit.refund(
    p_request uuid, p_of uuid, p_amount bigint, p_call text default 'refund')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
begin
    perform fence.arm('refund', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_follow_up(p_request, p_of, p_amount);

    v_first := credit.replay(p_request, 'refund', null, p_amount, null, null, p_of, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    v_now := credit.refund_charge(p_request, p_of, p_amount);
    if v_now.outcome = 'applied' then
        return v_now;
    end if;
    -- As in charge: a twin may have committed while this call waited for the account.
    v_first := credit.replay(p_request, 'refund', null, p_amount, null, null, p_of, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    return v_now;
end $$;
