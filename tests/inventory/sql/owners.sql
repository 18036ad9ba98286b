select string_agg(distinct tableowner, ', ') from pg_tables where schemaname = 'inventory'
