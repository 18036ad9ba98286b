-- credit.sweep_holds: gives back what void and expired holds set aside on accounts that nobody books on: a ledger
-- function does so only for the account that it locks. Looks at a batch of accounts with expired holds, skips those that are
-- locked, and returns how many holds it resolved. A void hold expires, too. Call it now and then, until it says 0.
-- Nothing depends on it: what is void or expired is so before it is swept.
-- Raises ZF001 outside READ COMMITTED, ZF004 unless the batch is of 1 to 10000 accounts.
create or replace function credit.sweep_holds(p_batch int default 100, p_call text default 'sweep_holds')
returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_account bigint;
    v_count bigint := 0;
begin
    perform fence.arm('sweep_holds', p_call, interval '30 seconds');
    if p_batch is null or p_batch not between 1 and 10000 then
        raise exception using errcode = 'ZF004', message = 'a batch is of 1 to 10000 accounts';
    end if;
    for v_account in
        select a.id from credit.account a
        where a.id in (select h.account from credit.hold h
                       where h.resolution is null and h.expires_at <= clock_timestamp()
                       order by h.expires_at limit p_batch)
        order by a.id for update skip locked
    loop
        v_count := v_count + credit.give_back(v_account);
    end loop;
    return v_count;
end $$;
