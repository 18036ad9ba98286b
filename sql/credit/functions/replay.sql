-- credit.replay: what an earlier call with this request id came to, for the requests that write an entry. outcome is
-- null where there was none, 'applied' with the first outcome where every field is the same, else 'request mismatch'
-- and the first field that differs. Fence and holder are not compared: a job that is delivered again has new ones.
--
-- p_verb is what was asked for: grant, charge, capture or refund. p_account and p_purpose are null where the request
-- does not say them, but goes back to an earlier one: p_of, the hold or the charge.
--
-- p_is_last: also looks whether a hold or a release used the id. The first look of a charge leaves that out: what is
-- overlooked then is 'taken' when it comes to be written.
create or replace function credit.replay(
    p_request uuid, p_verb text, p_account text, p_change bigint, p_purpose text, p_resource text,
    p_of uuid, p_is_last boolean)
returns credit.result language plpgsql as $$
declare
    e credit.entry;
    v credit.result;
begin
    select * into e from credit.entry x where x.request = p_request;
    if not found then
        if p_is_last and credit.is_hold_request(p_request) then
            v.outcome := 'request mismatch';
            v.field := 'operation';
        end if;
        return v;
    end if;
    v.field := case
        when p_verb <> (case when e.hold is null then e.operation else 'capture' end) then 'operation'
        when p_account collate "C" <> (select a.name from credit.account a where a.id = e.account) then 'account'
        when p_verb = 'capture' and e.hold <> p_of then 'hold'
        when p_verb = 'refund' and e.refund_of <> p_of then 'charge'
        when e.change <> p_change then 'amount'
        when e.purpose <> p_purpose collate "C" then 'purpose'
        when e.resource is distinct from p_resource collate "C" then 'resource'
    end;
    if v.field is not null then
        v.outcome := 'request mismatch';
        return v;
    end if;
    v.outcome := 'applied';
    v.replayed := true;
    v.seq := e.seq;
    v.at := e.at;
    v.balance_after := e.balance_after;
    return v;
end $$;
