-- credit.set_frozen: for credit.freeze_account and credit.unfreeze_account.
create or replace function credit.set_frozen(p_account text, p_is_frozen boolean)
returns credit.result language plpgsql as $$
declare
    a credit.account := credit.lock_account(p_account);
    v credit.result;
begin
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(credit.judge_account(a.id, a.closed_at, a.frozen_at, false),
                          case when (a.frozen_at is not null) = p_is_frozen then 'unchanged' else 'changed' end);
    if v.outcome = 'changed' then
        update credit.account x set frozen_at = case when p_is_frozen then clock_timestamp() end where x.id = a.id;
    end if;
    return v;
end $$;
