select count(*) from pg_trigger where tgname like 'zz\_kit\_%'
