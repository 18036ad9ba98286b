-- credit.lock_account: locks a user account to the end of the transaction, gives its void and expired holds back, and
-- returns its row as it then stands; all null where there is none of that name.
create or replace function credit.lock_account(p_account text)
returns credit.account language plpgsql as $$
declare
    a credit.account;
begin
    select * into a from credit.account x where x.name = p_account and not x.is_system for update;
    if a.held > 0 and credit.give_back(a.id) > 0 then
        select * into a from credit.account x where x.id = a.id;
    end if;
    return a;
end $$;
