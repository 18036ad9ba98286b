-- fence.argument: the first argument of a trigger, from pg_trigger.tgargs, where a zero byte ends each. Null where
-- it has none: anybody who may call fence.check_row can make such a trigger by hand.
create or replace function fence.argument(p_arguments bytea)
returns name language sql stable set search_path = pg_catalog, pg_temp as $$
    select convert_from(substr(p_arguments, 1, position('\x00'::bytea in p_arguments) - 1),
                        getdatabaseencoding())::name
    where position('\x00'::bytea in p_arguments) > 1
$$;
