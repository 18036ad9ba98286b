-- fence.unfit: why a column cannot name the resource of a table's rows; null where it can.
--
-- It is of type text or varchar, or of a domain over one of them. char(n) loses its trailing blanks, citext takes
-- two spellings for one, and the guard compares bytes: a stored generated column makes a resource of any of them,
-- and of numbers (generated always as ('user:' || user_id) stored).
create or replace function fence.unfit(p_table regclass, p_column name)
returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_column record;
    v_base oid;
begin
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
