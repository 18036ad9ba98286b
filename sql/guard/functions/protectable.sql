-- fence.protectable: why a table cannot be protected by one of its columns; null where it can be. What a column
-- has to be for it, fence.unfit says.
--
-- The name of a column that the table was protected by, and that is called otherwise now, says nothing of what
-- the caller means: the old column, or another one that took its name. It is not guessed.
create or replace function fence.protectable(p_table regclass, p_column name)
returns text language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    c record;
    v_part record;
    v_now name;
begin
    select k.relkind, k.relpersistence, k.relnamespace, k.relnamespace::regnamespace::text as nspname into c
        from pg_class k where k.oid = p_table;
    if not found or p_column is null then
        return 'protect takes a table and one of its columns';
    elsif c.relkind not in ('r', 'p') then
        return format('%s is not a table; protect the tables under a view, and foreign tables where they are', p_table);
    elsif c.relpersistence = 't' then
        return format('%s is temporary: no other session could write to it', p_table);
    elsif c.nspname in ('pg_catalog', 'pg_toast', 'information_schema')
       or exists (select from fence.installed i where i.schema_name = c.nspname) then
        return format('%s is not a table of a service; schema %s keeps itself', p_table, c.nspname);
    elsif exists (select from fence.family(p_table) f join pg_class k on k.oid = f.relation where k.relkind = 'f') then
        return format('a part of %s is a foreign table, which can be written to where it is', p_table);
    end if;
    select f.relation into v_part
        from fence.family(p_table) f join pg_class k on k.oid = f.relation where k.relpersistence = 'u' limit 1;
    if found then
        return format('%s is unlogged: a crash empties it, and no trigger fires; alter table %s set logged',
                      v_part.relation, v_part.relation);
    end if;
    -- Rows are judged by one trigger. Protecting the one parent would take the other one's guard off a common part.
    select f.relation, g.root, g.resource_column into v_part
        from fence.family(p_table) f join fence.guarded() g on g.relation = f.relation
        where g.resource_column not in ('', p_column) and g.root not in (select o.relation from fence.family(p_table) o)
        limit 1;
    if found then
        return format('%s is a part of %s, which is protected by column %I: a table goes by one column',
                      v_part.relation, v_part.root, v_part.resource_column);
    end if;
    select t.column_now into v_now from fence.tied(p_table) t where t.column_then = p_column;
    if v_now <> p_column then
        return format('what %s was protected by as column %I is called %I now: protect it by that name; for another '
                      'column that is to be called %I, unprotect the table first, in the same transaction',
                      p_table, p_column, v_now, p_column);
    end if;
    return fence.unfit(p_table, p_column);
end $$;
