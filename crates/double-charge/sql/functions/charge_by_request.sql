-- WRONG ON PURPOSE. story.charge_by_request: charges once per request id. It stops the same job that is
-- delivered twice; a second click of the customer is another request.
create or replace function story.charge_by_request(
    p_account text, p_amount bigint, p_purpose text, p_request uuid,
    out seq bigint, out balance bigint, out replayed boolean)
language plpgsql as $$
begin
    replayed := false;
    select c.seq, c.balance into seq, balance
        from story.charge(p_account, p_amount, p_purpose, p_request, null) c;
exception when unique_violation then
    replayed := true;
    select e.seq, e.balance_after into seq, balance from story.entry e where e.request = p_request;
end $$;
