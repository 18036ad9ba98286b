-- What Postgres says of itself, to the role that asks.
select current_setting('server_version') as version,
       current_setting('server_version_num')::int as version_num,
       pg_is_in_recovery() as is_standby,
       (select r.rolsuper from pg_roles r where r.rolname = current_user) as is_superuser,
       current_setting('default_transaction_read_only') = 'on' as is_read_only,
       current_setting('default_transaction_isolation') as isolation,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('synchronous_standby_names') as standbys,
       current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as survives_a_crash
