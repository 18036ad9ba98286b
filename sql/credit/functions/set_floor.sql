-- credit.set_floor: moves the floor of an account: a credit line is given, or taken back.
--
-- outcome: 'changed', 'unchanged' (it is so already), 'unknown account', 'closed account', 'below floor': with what is
-- held, the account is below it already. balance_after and held say how it stands.
-- Raises ZF001 outside READ COMMITTED, ZF004 on bad arguments.
create or replace function credit.set_floor(p_account text, p_floor bigint, p_call text default 'set_floor')
returns credit.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    a credit.account;
    v credit.result;
begin
    perform fence.arm('set_floor', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_account(p_account);
    perform credit.check_floor(p_floor);
    a := credit.lock_account(p_account);
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(credit.judge_account(a.id, a.closed_at, a.frozen_at, false), case
        when a.floor = p_floor then 'unchanged'
        when a.balance - a.held < p_floor then 'below floor'
        else 'changed' end);
    if v.outcome = 'changed' then
        update credit.account x set floor = p_floor where x.id = a.id;
    end if;
    return v;
end $$;
