-- Whom the sessions of one application name wait for: the application names of those that hold what they want,
-- and of those before them in the queue.
--   $1  the application name
select distinct coalesce(nullif(b.application_name, ''), format('session %s', w.pid))
from pg_stat_activity a
cross join lateral unnest(pg_blocking_pids(a.pid)) w (pid)
left join pg_stat_activity b on b.pid = w.pid
where a.application_name = $1
order by 1
