-- fence.join_writers: counts this transaction among the writers of a resource in flight, whether or not it came by
-- fence.admit. The caller has compared its permit with the mark, locks the row next, and compares again.
--
-- fence.admit has done all of it before, and then this changes nothing. Who has set the setting by hand holds its
-- successor up like any writer, so it is named by fence.blockers like any, and ended like any when it stands still:
-- where its transaction has no limit yet, after half a minute.
--
-- It never waits. A transaction that has written already would queue behind an opening that waits for somebody who
-- waits for its rows. Raises 55P03 where an opening or a close of the resource came first.
create or replace function fence.join_writers(p_resource text)
returns void language plpgsql as $$
begin
    if not pg_try_advisory_xact_lock_shared(fence.lock_key(p_resource)) then
        raise exception using errcode = '55P03',
            message = format('resource %s is being opened or closed, and this transaction was not admitted before',
                             p_resource),
            hint = 'begin the transaction with fence.admit, which waits';
    end if;
    if current_setting('idle_in_transaction_session_timeout') = '0' then
        perform fence.shorten('idle_in_transaction_session_timeout', 30000);
        perform fence.shorten('tcp_user_timeout', 30000);
        perform fence.shorten('lock_timeout', 10000);
    end if;
end $$;
