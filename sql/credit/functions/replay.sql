-- credit.replay: what an earlier call with this request id came to. outcome is null where there was none,
-- 'applied' with the first outcome where every field is the same, else 'request mismatch' and the first
-- field that differs. Fence and holder are not compared: a job that is delivered again has new ones.
create or replace function credit.replay(
    p_request uuid, p_operation text, p_account text, p_change bigint, p_purpose text, p_resource text)
returns credit.result language plpgsql as $$
declare
    e credit.entry;
    v credit.result;
begin
    select * into e from credit.entry x where x.request = p_request;
    if not found then
        return v;
    end if;
    v.field := case
        when e.operation <> p_operation then 'operation'
        when p_account <> (select a.name from credit.account a where a.id = e.account) then 'account'
        when e.change <> p_change then 'amount'
        when e.purpose <> p_purpose then 'purpose'
        when e.resource is distinct from p_resource then 'resource'
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
