-- credit.open_account: opens a user account with a balance of 0, which is never charged below its floor: 0, or less
-- for a credit line. True when it is new; false when it was there, as it was, also one that was closed: a name is not
-- used again. Raises ZF001 outside READ COMMITTED, ZF004 for a name that is empty, longer than 512 bytes, or a system
-- account's, and for a floor above 0.
create or replace function credit.open_account(
    p_name text, p_floor bigint default 0, p_call text default 'open_account')
returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('open_account', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_account(p_name);
    perform credit.check_floor(p_floor);
    insert into credit.account (name, floor) values (p_name, p_floor)
        on conflict on constraint account_name_once do nothing;
    if not found and exists (select from credit.account a where a.name = p_name collate "C" and a.is_system) then
        raise exception using errcode = 'ZF004',
            message = format('"%s" is the name of a system account', p_name);
    end if;
    return found;
end $$;
