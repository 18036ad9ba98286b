-- fence.check_truncate: the truncate trigger of fence.protect. A TRUNCATE names no resource, so no permit can
-- admit it: it is refused always (ZF007, DETAIL as fence.check_row's). Delete the rows of your resource, or take
-- the protection off in a migration.
create or replace function fence.check_truncate()
returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    raise exception using
        errcode = 'ZF007',
        message = format('truncate of %s is refused: the table is protected, and a truncate names no resource',
                         tg_relid::regclass),
        detail = jsonb_build_object('reason', 'truncate', 'resource', null,
            'table', tg_relid::regclass::text, 'operation', tg_op)::text,
        hint = 'delete the rows of one resource in a transaction that was admitted for it',
        schema = tg_table_schema, table = tg_table_name;
end $$;
