-- fence.gaps: what of a table's protection by this column is missing, switched off or not as fence.protect makes
-- it, on the table, its partitions and inheritance children. No row: nothing is.
create or replace function fence.gaps(p_table regclass, p_column name)
returns table (relation regclass, is_clone boolean, trigger_name name, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select f.relation, f.is_clone, w.name,
           case when t.oid is null then 'is missing'
                when t.tgfoid <> w.function or t.tgtype <> w.type or t.tgqual is not null
                     or t.tgattr <> '' or t.tgargs <> w.arguments or t.tgdeferrable
                then 'is not as fence.protect makes it'
                else 'is switched off' end
    from fence.family(p_table) f
    -- tgtype: 29 is AFTER INSERT OR DELETE OR UPDATE FOR EACH ROW, 34 is BEFORE TRUNCATE FOR EACH STATEMENT.
    cross join lateral (values
        ('fence_guards_rows'::name, 'fence.check_row()'::regprocedure, 29,
         convert_to(p_column, getdatabaseencoding()) || '\x00'),
        ('fence_guards_truncate', 'fence.check_truncate()'::regprocedure, 34, ''::bytea)
    ) w (name, function, type, arguments)
    left join pg_trigger t on t.tgrelid = f.relation and t.tgname = w.name
    where (t.tgfoid, t.tgtype, t.tgargs) is distinct from (w.function::oid, w.type::int2, w.arguments)
       or t.tgqual is not null or t.tgattr <> '' or t.tgdeferrable or t.tgenabled not in ('O', 'A')
$$;
