-- fence.unprotect: takes the guard from under a table, its partitions and inheritance children. True where there
-- was anything to take. In one transaction with fence.protect no write gets in between.
--
-- Runs as its caller, who owns the tables; anybody else is refused by Postgres (42501). Raises ZF004 for a
-- partition that is protected with the table that it belongs to.
create or replace function fence.unprotect(p_table regclass)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    t record;
    v_was boolean := false;
begin
    if p_table is null then
        raise exception using errcode = 'ZF004', message = 'unprotect takes a table';
    end if;
    if exists (select from pg_trigger g
               where g.tgrelid = p_table and g.tgname = 'fence_guards_rows' and g.tgparentid <> 0) then
        raise exception using errcode = 'ZF004',
            message = format('%s is protected with the table that it is a partition of', p_table),
            hint = 'unprotect that one';
    end if;
    for t in
        select f.relation, g.tgname
        from fence.family(p_table) f
        join pg_trigger g on g.tgrelid = f.relation
             and g.tgname in ('fence_guards_rows', 'fence_guards_column', 'fence_guards_truncate')
        -- Postgres takes the copies on partitions along with their original.
        where g.tgparentid = 0
    loop
        execute format('drop trigger %I on %s', t.tgname, t.relation);
        v_was := true;
    end loop;
    return v_was;
end $$;
