-- credit.accounts_of: the accounts of these charges that may be charged, locked to the end of the transaction; those
-- that somebody else has locked are left out. Expired holds are given back; whoever needs void ones given back, too, is not
-- covered here, and goes alone (credit.lock_account).
create or replace function credit.accounts_of(p_charges credit.numbered_charge[])
returns credit.account[] language plpgsql as $$
declare
    v_locked bigint[];
begin
    v_locked := array(
        select x.id from credit.account x
        where x.name in (select i.account from unnest(p_charges) i) and not x.is_system
        order by x.id for update skip locked);
    perform credit.give_back_expired(x.id, clock_timestamp()) from credit.account x where x.id = any (v_locked) and x.held > 0;
    return array(
        select x from credit.account x where x.id = any (v_locked) and credit.judge_account(x.id, x.closed_at, x.frozen_at, true) is null);
end $$;
