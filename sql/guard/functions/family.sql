-- fence.family: a table with its partitions and, in the old style, its inheritance children, of every
-- generation. is_clone: a partition below the table, to which Postgres itself copies row triggers (and truncate
-- triggers never); an inheritance child is copied nothing.
create or replace function fence.family(p_table regclass)
returns table (relation regclass, is_clone boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with recursive f as (
        select c.oid, false as is_clone from pg_class c where c.oid = p_table
        union
        select c.oid, c.relispartition
        from f
        join pg_inherits i on i.inhparent = f.oid
        join pg_class c on c.oid = i.inhrelid and c.relkind in ('r', 'p', 'f')
    )
    select f.oid::regclass, f.is_clone from f
$$;
