-- credit.lock_account: locks a user account to the end of the transaction, gives its void and expired holds back, and
-- returns its row as it then stands; all null where there is none of that name.
--
-- p_need is what the caller is about to take: where that is there anyway, void holds may stay. To find them other holds
-- are looked at (credit.give_back_void), and to know of them could only make more of what is enough. They are void all the
-- same, to whoever looks at them, and are given back when they are needed, or expire. Null: everything is given back.
create or replace function credit.lock_account(p_account text, p_need bigint default null)
returns credit.account language plpgsql as $$
declare
    a credit.account;
    v_now timestamptz;
begin
    select * into a from credit.account x where x.name = p_account collate "C" and not x.is_system for update;
    if a.held > 0 then
        -- After the lock, which may have been waited for.
        v_now := clock_timestamp();
        if credit.give_back_expired(a.id, v_now) > 0 then
            select * into a from credit.account x where x.id = a.id;
        end if;
    end if;
    if a.held > 0 and not coalesce(credit.is_covered(a.balance, a.held, a.floor, p_need), false)
       and credit.give_back_void(a.id, v_now) > 0 then
        select * into a from credit.account x where x.id = a.id;
    end if;
    return a;
end $$;
