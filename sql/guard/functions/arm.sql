-- fence.arm: what every guarded call does before it looks at anything.
--
-- * READ COMMITTED only (ZF001). Each statement of the guard must see what was committed while the one
--   before it waited for a lock; an older snapshot makes the drain useless.
-- * Commits of guarded transactions are durable before they are answered: synchronous_commit is raised
--   to on, never lowered. set_config(…, true) lasts to the commit; a function's own SET would revert
--   before it.
-- * A client that stops inside its transaction holds the share lock that its successor waits for, so
--   the server ends such a transaction: idle ones after valid_for (at least one second: 0 would switch
--   the timeout off; at most an hour), unreachable ones likewise (tcp_user_timeout; of no effect on a Unix
--   socket). A shorter limit that the session has set already stays.
-- * Nobody waits for a lock without end: after wait the call fails with 55P03, and nothing has changed.
--
-- p_rides says that the call rides in a transaction that was admitted already, whose limits stay. Only a setting says
-- so, which anybody can set: where a limit is off, no admission has set it, and it is set here.
create or replace function fence.arm(
    p_function text, p_call text, p_valid_for interval, p_wait interval default '10 s',
    p_rides boolean default false)
returns void language plpgsql as $$
declare
    v_limit_ms int;
begin
    if p_call is distinct from p_function then
        raise exception using errcode = 'ZF003',
            message = format('this statement calls fence function "%s", its sender meant "%s"', p_function, p_call),
            hint = 'a transaction pooler has mixed up prepared statements';
    end if;
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using errcode = 'ZF001',
            message = format('guarded calls need READ COMMITTED, this transaction is %s',
                             upper(current_setting('transaction_isolation'))),
            hint = 'an older snapshot would not see the mark that overtook this holder';
    end if;
    if p_valid_for is null or p_valid_for <= interval '0' or p_valid_for > interval '366 days' then
        raise exception using errcode = 'ZF004',
            message = 'valid_for is a time above zero, at most 366 days';
    end if;
    if p_wait is null or p_wait not between interval '1 ms' and interval '1 hour' then
        raise exception using errcode = 'ZF004', message = 'wait is a time from 1 ms to 1 hour';
    end if;
    if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
        perform set_config('synchronous_commit', 'on', true);
    end if;
    if not p_rides or current_setting('idle_in_transaction_session_timeout') = '0' then
        v_limit_ms := greatest(1000, least(3600000, 1000 * extract(epoch from p_valid_for)))::int;
        perform fence.shorten('idle_in_transaction_session_timeout', v_limit_ms);
        perform fence.shorten('tcp_user_timeout', v_limit_ms);
    end if;
    if not p_rides or current_setting('lock_timeout') = '0' then
        perform fence.shorten('lock_timeout', (1000 * extract(epoch from p_wait))::int);
    end if;
end $$;
