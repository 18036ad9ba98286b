-- credit.open_account: opens a user account with a balance of 0. True when it is new, false when it was
-- there. Raises ZF001 outside READ COMMITTED, ZF004 for a name that is empty, longer than 512 bytes, or a
-- system account's.
create or replace function credit.open_account(p_name text, p_call text default 'open_account')
returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('open_account', p_call, interval '30 seconds');
    if not fence.is_name(p_name, 1, 512) then
        raise exception using errcode = 'ZF004',
            message = 'an account name has 1 to 512 bytes and no control character';
    end if;
    insert into credit.account (name) values (p_name) on conflict on constraint account_name_once do nothing;
    if not found and exists (select from credit.account a where a.name = p_name and a.is_system) then
        raise exception using errcode = 'ZF004',
            message = format('"%s" is the name of a system account', p_name);
    end if;
    return found;
end $$;
