-- What the sessions of one application name are doing.
--   $1  the application name
select coalesce(a.state, 'not visible') from pg_stat_activity a where a.application_name = $1
