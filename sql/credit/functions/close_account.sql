-- credit.close_account: ends an account whose balance is 0 and of which nothing is held. Final: nothing is booked on it
-- any more, and its name is not given again. Its entries stay.
--
-- outcome: 'changed', 'unchanged' (it is closed already), 'unknown account', 'not empty': balance_after and held say
-- what is in it.
-- Raises ZF001 outside READ COMMITTED, ZF004 for what is no name.
create or replace function credit.close_account(p_account text, p_call text default 'close_account')
returns credit.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    a credit.account;
    v credit.result;
begin
    perform fence.arm('close_account', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_account(p_account);
    a := credit.lock_account(p_account);
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := case
        when a.id is null then 'unknown account'
        when a.closed_at is not null then 'unchanged'
        when a.balance <> 0 or a.held > 0 then 'not empty'
        else 'changed' end;
    if v.outcome = 'changed' then
        update credit.account x set closed_at = clock_timestamp() where x.id = a.id;
    end if;
    return v;
end $$;
