-- credit.sweep_holds: gives back what void and expired holds set aside on accounts that nobody books on: a ledger
-- function does so only for the account that it locks. Of the accounts with expired holds, those first that expired
-- first, it takes a batch, skips those that are locked, and returns how many holds it resolved. A void hold expires, too.
-- Call it now and then, until it says 0: then what is left is of accounts that somebody had locked.
-- Nothing depends on it: what is void or expired is so before it is swept.
-- Raises ZF001 outside READ COMMITTED, ZF004 unless the batch is of 1 to 10000 accounts.
create or replace function credit.sweep_holds(p_batch int default 100, p_call text default 'sweep_holds')
returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- Read once: compared with the clock itself, expires_at would be no condition of the index.
    v_now constant timestamptz := clock_timestamp();
    v_account bigint;
    v_accounts int := 0;
    v_count bigint := 0;
begin
    perform fence.arm('sweep_holds', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    if p_batch is null or p_batch not between 1 and 10000 then
        raise exception using errcode = 'ZF004', message = 'a batch is of 1 to 10000 accounts';
    end if;
    for v_account in
        select h.account from credit.hold h
        where h.resolution is null and h.expires_at <= v_now order by h.expires_at
    loop
        -- An account comes once for each of its expired holds; the first time it gets all of them back. In no order of
        -- accounts, for it waits for none.
        perform from credit.account a
            where a.id = v_account
              and exists (select from credit.hold h
                          where h.account = a.id and h.resolution is null and h.expires_at <= v_now)
            for update skip locked;
        if found then
            v_count := v_count + credit.give_back(v_account);
            v_accounts := v_accounts + 1;
            exit when v_accounts = p_batch;
        end if;
    end loop;
    return v_count;
end $$;
