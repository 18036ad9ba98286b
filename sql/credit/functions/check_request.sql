-- credit.check_request: raises ZF004 for what no ledger function takes.
create or replace function credit.check_request(
    p_request uuid, p_account text, p_amount bigint, p_purpose text)
returns void language plpgsql immutable as $$
begin
    -- The nil UUID stands for "no request id" in refusals.
    if p_request is null or p_request = '00000000-0000-0000-0000-000000000000' then
        raise exception using errcode = 'ZF004', message = 'a request needs an id of its own';
    end if;
    if not fence.is_name(p_account, 1, 512) then
        perform credit.check_account(p_account);
    end if;
    if p_amount is null or p_amount < 1 then
        raise exception using errcode = 'ZF004',
            message = format('an amount is a whole number of credits from 1, this one is %s', p_amount);
    end if;
    if not fence.is_name(p_purpose, 0, 512) then
        raise exception using errcode = 'ZF004',
            message = 'a purpose has at most 512 bytes and no control character';
    end if;
end $$;
