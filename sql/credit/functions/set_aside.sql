-- credit.set_aside: locks the account, judges by what the lock returned, and makes the hold.
--
-- outcome: 'applied', 'unknown account', 'closed account', 'frozen account', 'insufficient credit', or 'taken' (see
-- credit.write_entry).
create or replace function credit.set_aside(
    p_request uuid, p_account text, p_amount bigint, p_purpose text, p_expires_in interval,
    p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    a credit.account := credit.lock_account(p_account, p_amount);
    v credit.result;
    v_now timestamptz := clock_timestamp();
begin
    v.balance_after := a.balance;
    v.held := a.held;
    v.outcome := coalesce(credit.judge_account(a.id, a.closed_at, a.frozen_at, true),
        case when not credit.is_covered(a.balance, a.held, a.floor, p_amount) then 'insufficient credit' end);
    if v.outcome is not null then
        return v;
    end if;

    perform pg_advisory_xact_lock(credit.request_key(p_request));
    insert into credit.hold as h
        (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
    select nextval('fence.seq'), p_request, a.id, p_amount, p_purpose, p_resource, p_fence, p_holder,
           v_now, v_now + p_expires_in
    where not exists (select from credit.entry e where e.request = p_request)
      and not exists (select from credit.hold x where x.resolved_by = p_request)
    on conflict on constraint hold_request_once do nothing
    returning h.seq, h.at, h.expires_at into v.seq, v.at, v.until;
    if not found then
        v.outcome := 'taken';
        return v;
    end if;
    v.held := a.held + p_amount;
    update credit.account x set held = v.held where x.id = a.id;
    v.outcome := 'applied';
    v.state := 'open';
    v.replayed := false;
    return v;
end $$;
