-- credit.capture_hold: locks account and hold, judges by what the locks returned, writes the entry, resolves the hold.
-- Its outcomes are those of credit.capture from 'unknown hold' on, or 'taken'.
create or replace function credit.capture_hold(
    p_request uuid, p_hold uuid, p_amount bigint, p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    l record := credit.look_hold(p_hold, p_resource, true);
    a credit.account := l.a;
    h credit.hold := l.h;
    v credit.result;
begin
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(l.outcome, case when p_amount > h.amount then 'exceeds hold' end);
    if v.outcome is not null then
        v.allowed := h.amount;
        v.seq := h.resolved_seq;
        v.at := h.resolved_at;
        return v;
    end if;
    v := credit.write_entry(p_request, 'charge', a.id, a.balance, a.held, 'spent', -p_amount, h.purpose,
                            p_resource, p_fence, p_holder, p_hold => p_hold, p_freed => h.amount, p_at => l.now);
    if v.outcome = 'applied' then
        update credit.hold x
            set resolution = 'captured', resolved_seq = nextval('fence.seq'), resolved_at = l.now,
                resolved_by = p_request, resolved_fence = p_fence, resolved_holder = p_holder, captured = p_amount
            where x.seq = h.seq;
    end if;
    return v;
end $$;
