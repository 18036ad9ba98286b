-- fence.begin_job: what each job of the operator does first: judges its arguments, takes its turn (two calls of
-- one job come one after the other), and says where the call before it stopped.
create or replace function fence.begin_job(
    p_job text, p_call text, p_older_than interval, p_batch int, out cutoff timestamptz, out after_seq bigint,
    out after_name text)
language plpgsql as $$
begin
    perform fence.arm(p_job, p_call, interval '30 seconds');
    if p_older_than is null or p_older_than not between interval '0' and interval '100 years' then
        raise exception using errcode = 'ZF004', message = 'older_than is a time from 0 to 100 years';
    end if;
    if p_batch is null or p_batch not between 1 and 10000 then
        raise exception using errcode = 'ZF004', message = 'a batch is of 1 to 10000 rows';
    end if;
    -- Turns come before every other lock.
    if pg_current_xact_id_if_assigned() is not null then
        raise exception using errcode = 'ZF002',
            message = format('fence.%s comes first in its transaction, before any write or row lock', p_job);
    end if;
    cutoff := clock_timestamp() - p_older_than;
    select r.after_seq, r.after_name into after_seq, after_name
        from fence.retention r where r.job = p_job for update;
    -- Lets the triggers that keep marks and openings tell a job from a hand at the keyboard.
    perform set_config('fence.job', p_job, true);
end $$;
