-- Whether $1 is the name of a function, relation or type.
select to_regclass($1) is not null or to_regtype($1) is not null
    or exists (select from pg_proc p where p.pronamespace::regnamespace || '.' || p.proname = $1)
