-- fence.bound_wait: bounds how long this transaction waits for any one lock. A successor must learn that it
-- is blocked, and by whom, rather than hang. Raises ZF004 unless 1 ms <= wait <= 1 hour.
create or replace function fence.bound_wait(p_wait interval)
returns void language plpgsql as $$
begin
    if p_wait is null or p_wait not between interval '1 ms' and interval '1 hour' then
        raise exception using errcode = 'ZF004', message = 'wait is a time from 1 ms to 1 hour';
    end if;
    perform fence.shorten('lock_timeout', (1000 * extract(epoch from p_wait))::int);
end $$;
