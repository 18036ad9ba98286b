-- fence.guarded: the tables that stand under the guard, by a trigger of fence.protect or one made by hand, with
-- their partitions and inheritance children.
--
-- root             the one that the others come along with
-- resource_column  by which its rows are judged; empty where it has no row trigger
create or replace function fence.guarded()
returns table (root regclass, resource_column name, relation regclass)
language sql stable set search_path = pg_catalog, pg_temp as $$
    with guarded as (
        select distinct t.tgrelid as oid from pg_trigger t
        where t.tgfoid in ('fence.check_row()'::regprocedure, 'fence.check_truncate()'::regprocedure)
    )
    select g.oid::regclass, coalesce((
               select fence.argument(t.tgargs)
               from pg_trigger t where t.tgrelid = g.oid and t.tgfoid = 'fence.check_row()'::regprocedure
               order by t.tgname = 'fence_guards_rows' desc, t.tgname limit 1), ''),
           f.relation
    from guarded g cross join lateral fence.family(g.oid) f
    -- Whose parent is guarded too is looked at with its parent.
    where not exists (select from pg_inherits i join guarded p on p.oid = i.inhparent where i.inhrelid = g.oid)
$$;
