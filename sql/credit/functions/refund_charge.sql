-- credit.refund_charge: locks the charge's account, adds up what was refunded by then, judges, and writes the entry.
-- Its outcomes are those of credit.refund from 'unknown charge' on, or 'taken'.
create or replace function credit.refund_charge(p_request uuid, p_of uuid, p_amount bigint)
returns credit.result language plpgsql as $$
declare
    c credit.entry;
    a credit.account;
    v credit.result;
begin
    -- Entries never change.
    select * into c from credit.entry e where e.request = p_of and e.operation = 'charge';
    if not found then
        v.outcome := 'unknown charge';
        return v;
    end if;
    a := credit.lock_account((select x.name from credit.account x where x.id = c.account), 0);
    -- In a statement of its own: every refund of this charge is written under the lock.
    v.allowed := -c.change - (select coalesce(sum(r.change), 0) from credit.entry r where r.refund_of = p_of);
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(credit.judge_account(a.id, a.closed_at, a.frozen_at, false), case
        when p_amount > v.allowed then 'exceeds charge'
        when a.balance > 9223372036854775807 - p_amount then 'balance overflow'
    end);
    if v.outcome is not null then
        return v;
    end if;
    return credit.write_entry(p_request, 'refund', a.id, a.balance, a.held, 'spent', p_amount, c.purpose,
                              null, null, null, p_refund_of => p_of);
end $$;
