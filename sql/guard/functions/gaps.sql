-- fence.gaps: what of a table's protection by this column is missing, switched off or not as fence.protect makes
-- it, on the table, its partitions and inheritance children. No row: nothing is.
--
-- trigger_name is null for a part that is a foreign table, as no trigger guards what is written to where it is, and
-- for a part that is unlogged, as none fires when a crash has emptied it: neither can be mended by a trigger.
create or replace function fence.gaps(p_table regclass, p_column name)
returns table (relation regclass, is_clone boolean, trigger_name name, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with part as (
        select f.relation, f.is_clone, c.relkind = 'f' as is_foreign,
               c.relpersistence = 'u' as is_unlogged, coalesce(a.attnum::text, '') as column_number,
               -- An inherited column is renamed, dropped and retyped with its parent's.
               coalesce(a.attinhcount = 0, f.relation = p_table) as has_its_own
        from fence.family(p_table) f
        join pg_class c on c.oid = f.relation
        left join pg_attribute a on a.attrelid = c.oid and a.attname = p_column and a.attnum > 0
    )
    select p.relation, p.is_clone, w.name,
           case when t.oid is null then 'is missing'
                when n.column_then = p_column and n.column_now <> p_column
                then format('stands on column %I, which was protected as %I,', n.column_now, n.column_then)
                when m.is_as_made then 'is switched off'
                else 'is not as fence.protect makes it' end
    from part p
    -- tgtype: 29 is AFTER INSERT OR DELETE OR UPDATE FOR EACH ROW; 18 is BEFORE UPDATE and 34 BEFORE TRUNCATE, FOR
    -- EACH STATEMENT. One that is tied to a column never fires.
    cross join lateral (values
        ('fence_guards_rows'::name, 'fence.check_row()'::regprocedure, 29, p_column, '', false),
        ('fence_guards_column', 'fence.check_row()', 18, p_column, p.column_number, true),
        ('fence_guards_truncate', 'fence.check_truncate()', 34, null, '', false)
    ) w (name, function, type, argument, columns, is_tie)
    left join pg_trigger t on t.tgrelid = p.relation and t.tgname = w.name
    left join fence.tied(p.relation) n on w.is_tie
    cross join lateral (
        select (t.tgfoid, t.tgtype, t.tgargs, t.tgattr::text, t.tgqual is not null, t.tgdeferrable)
                   is not distinct from
               (w.function::oid, w.type::int2,
                coalesce(convert_to(w.argument, getdatabaseencoding()) || '\x00', ''), w.columns, w.is_tie, false)
    ) m (is_as_made)
    where not p.is_foreign and (p.has_its_own or not w.is_tie)
      and not (m.is_as_made and (t.tgenabled in ('O', 'A') or w.is_tie))
    union all
    select p.relation, p.is_clone, null, 'is a foreign table, written to where it is'
    from part p where p.is_foreign
    union all
    select p.relation, p.is_clone, null, 'is unlogged, emptied by a crash'
    from part p where p.is_unlogged
    union all
    select p_table, false, 'fence_guards_rows', format('judges by a column that names no resource (%s)', u.reason)
    from fence.unfit(p_table, p_column) u (reason) where u.reason is not null and p_column <> ''
$$;
