-- WRONG ON PURPOSE. story.charge: charges whoever asks. The lock in Redis is all that protects it.
create or replace function story.charge(
    p_account text, p_amount bigint, p_purpose text, p_request uuid, p_fence bigint,
    out seq bigint, out balance bigint)
language plpgsql as $$
begin
    update story.account a set balance = a.balance - p_amount where a.name = p_account
        returning a.balance into balance;
    insert into story.entry (account, amount, balance_after, purpose, request, fence)
        values (p_account, p_amount, balance, p_purpose, p_request, p_fence)
        returning entry.seq into seq;
end $$;
