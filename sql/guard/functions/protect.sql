-- fence.protect: puts the guard under a table of any service: whoever inserts, updates or deletes a row must be
-- admitted, in this transaction, for the resource that the row's column names. A TRUNCATE is refused always.
--
-- True where it changed anything, false where the table was protected by this column already: a migration may
-- call it again, and it mends what fence.bypass names (a partition that was attached later lacks its truncate
-- trigger; a new inheritance child lacks all; a trigger is switched off).
--
-- table   the service's own, ordinary or partitioned; its partitions and inheritance children come along
-- column  names each row's resource; text or varchar, or a domain over them. Called "resource" it is read for
--         nothing, under another name for the price of copying the row (fence.check_row). The table is tied to it
--         (fence.tied); another name than before is the caller's word that this column is meant from now on
--
-- Runs as its caller, who owns the table (and its children): it needs no right on the guard's tables. Raises
-- 42501 for anybody else, ZF004 for what cannot be protected: besides what the column has to be, a table that is
-- unlogged or foreign in part, and one with a part that another protected table judges by another column. Waits for
-- writers of the table in flight, where a trigger gives way to another one for readers too, and whoever comes to
-- write meanwhile waits behind it: "set local lock_timeout" bounds that (55P03, nothing changed).
create or replace function fence.protect(p_table regclass, p_column name)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_reason text := fence.protectable(p_table, p_column);
    v_changed boolean := false;
    v_owned record;
    v_old regclass;
    g record;
begin
    if v_reason is not null then
        raise exception using errcode = 'ZF004', message = v_reason;
    end if;
    for v_owned in
        select f.relation, pg_get_userbyid(c.relowner) as owner
        from fence.family(p_table) f join pg_class c on c.oid = f.relation
        where not pg_has_role(c.relowner, 'usage')
    loop
        raise exception using errcode = '42501',
            message = format('only its owner protects a table: %s belongs to %s, you are %s',
                             v_owned.relation, v_owned.owner, current_user),
            hint = format('let %I call fence.protect', v_owned.owner);
    end loop;
    if not exists (select from fence.gaps(p_table, p_column)) then
        return false;
    end if;

    -- To make a trigger leaves readers alone, to drop one does not. The stronger lock comes at once, for the table and
    -- all of its parts: with the weaker one in hand, a transaction that has read the table and goes on to write would
    -- wait for this one, and this one for it.
    execute format('lock table %s in %s mode', p_table, case
        when exists (select from fence.gaps(p_table, p_column) s
                     where s.finding not in ('is missing', 'is switched off'))
          or exists (select from fence.family(p_table) f
                     join pg_trigger t on t.tgrelid = f.relation and t.tgname = 'fence_guards_rows'
                     where f.is_clone and t.tgparentid = 0)
        then 'access exclusive' else 'share row exclusive' end);
    -- Judged again under the lock: another instance of the service may be doing the same, and a column may have
    -- got another name.
    v_reason := fence.protectable(p_table, p_column);
    if v_reason is not null then
        raise exception using errcode = 'ZF004', message = v_reason;
    end if;
    for g in select distinct case when s.is_clone then p_table else s.relation end as relation, s.trigger_name
             from fence.gaps(p_table, p_column) s
             where s.trigger_name = 'fence_guards_rows' and s.finding <> 'is switched off'
    loop
        -- Its own, and those of partitions that were protected by themselves: the copies take their place.
        for v_old in
            select f.relation from fence.family(g.relation) f
            join pg_trigger t on t.tgrelid = f.relation and t.tgname = g.trigger_name and t.tgparentid = 0
            where f.is_clone or f.relation = g.relation
        loop
            execute format('drop trigger %I on %s', g.trigger_name, v_old);
        end loop;
        execute format('create trigger %I after insert or update or delete on %s
                        for each row execute function fence.check_row(%L)', g.trigger_name, g.relation, p_column);
        v_changed := true;
    end loop;
    for g in select s.* from fence.gaps(p_table, p_column) s loop
        v_changed := true;
        if g.finding = 'is switched off' then
            execute format('alter table only %s enable trigger %I', g.relation, g.trigger_name);
            continue;
        end if;
        if g.finding <> 'is missing' then
            execute format('drop trigger %I on %s', g.trigger_name, g.relation);
        end if;
        execute format(case g.trigger_name
            when 'fence_guards_column' then
                'create trigger %1$I before update of %3$I on %2$s
                 for each statement when (false) execute function fence.check_row(%3$L)'
            else
                'create trigger %1$I before truncate on %2$s
                 for each statement execute function fence.check_truncate()' end,
            g.trigger_name, g.relation, p_column);
    end loop;
    return v_changed;
end $$;
