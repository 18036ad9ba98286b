-- fence.protectable: why a table cannot be protected by one of its columns; null where it can be.
--
-- The column is of type text or varchar, or of a domain over one of them. char(n) loses its trailing blanks,
-- citext takes two spellings for one, and the guard compares bytes: a stored generated column makes a resource
-- of any of them, and of numbers (generated always as ('user:' || user_id) stored).
create or replace function fence.protectable(p_table regclass, p_column name)
returns text language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    c record;
    v_column record;
    v_base oid;
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

    select a.atttypid, a.attgenerated into v_column
        from pg_attribute a where a.attrelid = p_table and a.attname = p_column and a.attnum > 0 and not a.attisdropped;
    if not found then
        return format('%s has no column %I', p_table, p_column);
    end if;
    with recursive t (oid, base) as (
        select y.oid, y.typbasetype from pg_type y where y.oid = v_column.atttypid
        union all
        select y.oid, y.typbasetype from t join pg_type y on y.oid = t.base
    )
    select t.oid into v_base from t where t.base = 0;
    if v_base not in ('text'::regtype, 'varchar'::regtype) then
        return format('column %I of %s is of type %s; a resource is text or varchar, or a domain over one of them: '
                      'add a stored generated column', p_column, p_table, format_type(v_column.atttypid, null));
    elsif v_column.attgenerated not in ('', 's') then
        return format('column %I of %s is computed when it is read; make it a stored generated column',
                      p_column, p_table);
    end if;
    return null;
end $$;
