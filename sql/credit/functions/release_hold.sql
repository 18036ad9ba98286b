-- credit.release_hold: locks account and hold, judges by what the locks returned, and resolves the hold. Its outcomes
-- are those of credit.release from 'unknown hold' on, or 'taken'.
create or replace function credit.release_hold(
    p_request uuid, p_hold uuid, p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    l record := credit.look_hold(p_hold, p_resource, false);
    a credit.account := l.a;
    h credit.hold := l.h;
    v credit.result;
begin
    v.outcome := l.outcome;
    v.balance_after := a.balance;
    v.held := a.held;
    v.seq := h.resolved_seq;
    v.at := h.resolved_at;
    if v.outcome is not null then
        return v;
    end if;
    perform pg_advisory_xact_lock(credit.request_key(p_request));
    if credit.is_hold_request(p_request) or exists (select from credit.entry e where e.request = p_request) then
        v.outcome := 'taken';
        return v;
    end if;
    update credit.hold x
        set resolution = 'released', resolved_seq = nextval('fence.seq'), resolved_at = l.now,
            resolved_by = p_request, resolved_fence = p_fence, resolved_holder = p_holder
        where x.seq = h.seq
        returning x.resolved_seq, x.resolved_at into v.seq, v.at;
    v.held := v.held - h.amount;
    update credit.account x set held = v.held where x.id = h.account;
    v.outcome := 'applied';
    v.replayed := false;
    return v;
end $$;
