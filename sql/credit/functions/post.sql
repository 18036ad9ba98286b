-- credit.post: locks the account, judges by what the lock returned, and writes one entry.
--
-- outcome: 'applied', 'unknown account', 'closed account', 'frozen account' (a charge), 'insufficient credit',
-- 'balance overflow', or 'taken' (see credit.write_entry).
create or replace function credit.post(
    p_request uuid, p_operation text, p_account text, p_counterpart text, p_change bigint, p_purpose text,
    p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    a credit.account;
    v credit.result;
begin
    select * into a from credit.account x where x.name = p_account collate "C" and not x.is_system for update;
    if a.held > 0 then
        a := credit.lock_account(p_account, greatest(-p_change, 0));
    end if;
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(credit.judge_account(a.id, a.closed_at, a.frozen_at, p_change < 0), case
        -- Written so that neither side can overflow: change < 0, floor <= 0 and balance - held >= floor in the
        -- first, change > 0 in the second.
        when p_change < 0 and a.balance - a.held < a.floor - p_change then 'insufficient credit'
        when p_change > 0 and a.balance > 9223372036854775807 - p_change then 'balance overflow'
    end);
    if v.outcome is not null then
        return v;
    end if;
    return credit.write_entry(p_request, p_operation, a.id, a.balance, a.held, p_counterpart,
                              p_change, p_purpose, p_resource, p_fence, p_holder);
end $$;
