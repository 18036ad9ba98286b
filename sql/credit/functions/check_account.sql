-- credit.check_account: raises ZF004 for what can be no account's name.
create or replace function credit.check_account(p_account text)
returns void language plpgsql immutable as $$
begin
    if not fence.is_name(p_account, 1, 512) then
        raise exception using errcode = 'ZF004',
            message = 'an account name has 1 to 512 bytes and no control character';
    end if;
end $$;
