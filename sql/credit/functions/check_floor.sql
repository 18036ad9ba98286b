-- credit.check_floor: raises ZF004 for what can be no account's floor.
create or replace function credit.check_floor(p_floor bigint)
returns void language plpgsql immutable as $$
begin
    if p_floor is null or p_floor > 0 then
        raise exception using errcode = 'ZF004',
            message = format('a floor is a whole number of credits of at most 0, this one is %s', p_floor);
    end if;
end $$;
