-- credit.check_expiry: a time after which holds expire, as plain seconds: days and months are not of one length in
-- every time zone. Raises ZF004 for what is none.
create or replace function credit.check_expiry(p_expires_in interval)
returns interval language plpgsql immutable as $$
begin
    if p_expires_in is null or p_expires_in < interval '1 ms' or p_expires_in > interval '366 days' then
        raise exception using errcode = 'ZF004', message = 'expires_in is a time from 1 ms to 366 days';
    end if;
    return make_interval(secs => extract(epoch from p_expires_in)::double precision);
end $$;
