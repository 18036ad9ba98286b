-- credit.replay_hold: as credit.replay, for a hold: 'applied' with what the first call answered, and with the state that
-- the hold is in by now, or 'request mismatch'.
create or replace function credit.replay_hold(
    p_request uuid, p_account text, p_amount bigint, p_purpose text, p_resource text, p_expires_in interval)
returns credit.result language plpgsql as $$
declare
    h credit.hold;
    v credit.result;
begin
    select * into h from credit.hold x where x.request = p_request;
    if h.seq is null then
        if exists (select from credit.entry e where e.request = p_request) or credit.is_hold_request(p_request) then
            v.outcome := 'request mismatch';
            v.field := 'operation';
        end if;
        return v;
    end if;
    v.field := case
        when p_account collate "C" <> (select a.name from credit.account a where a.id = h.account) then 'account'
        when h.amount <> p_amount then 'amount'
        when h.purpose <> p_purpose collate "C" then 'purpose'
        when h.resource <> p_resource collate "C" then 'resource'
        when h.expires_at <> h.at + p_expires_in then 'expires_in'
    end;
    if v.field is not null then
        v.outcome := 'request mismatch';
        return v;
    end if;
    v.outcome := 'applied';
    v.replayed := true;
    v.seq := h.seq;
    v.at := h.at;
    v.until := h.expires_at;
    v.state := credit.hold_state(h, clock_timestamp());
    select a.balance, a.held into v.balance_after, v.held from credit.account a where a.id = h.account;
    return v;
end $$;
