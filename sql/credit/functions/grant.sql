-- credit.grant: gives credits to an account, once per request id.
--
-- It takes no permit: it is decided without reading the ledger, so nothing that a late caller could have
-- read stale goes into it. The request id alone keeps it from happening twice.
--
-- outcome: 'applied', 'request mismatch', 'unknown account', 'closed account', 'balance overflow' (above 2^63 - 1).
-- Raises ZF001 outside READ COMMITTED, ZF004 on bad arguments.
create or replace function credit.grant(
    p_request uuid, p_account text, p_amount bigint, p_purpose text, p_call text default 'grant')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
begin
    perform fence.arm('grant', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_request(p_request, p_account, p_amount, p_purpose);

    v_first := credit.replay(p_request, 'grant', p_account, p_amount, p_purpose, null, null, false);
    if v_first.outcome is not null then
        return v_first;
    end if;
    v_now := credit.post(p_request, 'grant', p_account, 'issued', p_amount, p_purpose, null, null, null);
    if v_now.outcome = 'applied' then
        return v_now;
    end if;
    -- As in charge: a twin may have committed while this call waited for the account.
    v_first := credit.replay(p_request, 'grant', p_account, p_amount, p_purpose, null, null, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    return v_now;
end $$;
