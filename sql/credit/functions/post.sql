-- credit.post: locks the account, judges by what the lock returned, and writes one entry.
--
-- outcome: 'applied', 'unknown account', 'insufficient credit', 'balance overflow', or 'taken': the
-- request id has an entry already, written by a twin that committed after the caller looked.
-- The entry goes in before the balance moves, so that nothing has changed when it turns out 'taken'.
create or replace function credit.post(
    p_request uuid, p_operation text, p_account text, p_counterpart text, p_change bigint, p_purpose text,
    p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    a credit.account;
    v credit.result;
begin
    select * into a from credit.account x where x.name = p_account and not x.is_system for update;
    v.balance_after := a.balance;
    v.outcome := case
        when a.id is null then 'unknown account'
        -- Written so that neither side can overflow: change < 0 and floor <= 0 in the first, change > 0
        -- in the second.
        when p_change < 0 and a.balance < a.floor - p_change then 'insufficient credit'
        when p_change > 0 and a.balance > 9223372036854775807 - p_change then 'balance overflow'
    end;
    if v.outcome is not null then
        return v;
    end if;

    insert into credit.entry as e
        (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
    values
        (nextval('fence.seq'), p_request, p_operation, a.id,
         (select c.id from credit.account c where c.name = p_counterpart), p_change, a.balance + p_change,
         p_purpose, p_resource, p_fence, p_holder)
    on conflict on constraint entry_request_once do nothing
    returning e.seq, e.at, e.balance_after into v.seq, v.at, v.balance_after;
    if not found then
        v.outcome := 'taken';
        return v;
    end if;
    update credit.account x set balance = v.balance_after where x.id = a.id;
    v.outcome := 'applied';
    v.replayed := false;
    return v;
end $$;
