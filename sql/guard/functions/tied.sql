-- fence.tied: the column that a table is tied to by its trigger fence_guards_column: what it was called when
-- fence.protect made the trigger, and what it is called now. No row: the table has no such trigger.
--
-- The row trigger goes by a name, and Postgres lets any column bear it. A trigger UPDATE OF a column is Postgres'
-- own to keep: it follows the column under every name, also through a dump, and the column can neither be dropped
-- (but by CASCADE) nor get another type. So fence_guards_column stands on each table whose column is its own: an
-- inherited one, a partition's too, goes with its parent's. It never fires, and costs a write nothing.
create or replace function fence.tied(p_table regclass)
returns table (column_then name, column_now name)
language sql stable set search_path = pg_catalog, pg_temp as $$
    select fence.argument(t.tgargs), a.attname
    from pg_trigger t
    join pg_attribute a on a.attrelid = t.tgrelid and a.attnum::text = t.tgattr::text
    where t.tgrelid = p_table and t.tgname = 'fence_guards_column'
$$;
