-- A statement for each verb on each relation of both schemas.
with relation as (
    select format('%s.%s', c.relnamespace::regnamespace, c.relname) as name, c.relkind as kind,
           (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = 1) as col
    from pg_class c
    where c.relnamespace::regnamespace::text in ('fence', 'credit') and c.relkind in ('r', 'p', 'v', 'm', 'S')
)
select statement from (
    select unnest(array[
        format('select from %s', r.name),
        format('select from %s for share', r.name),
        format('insert into %s default values', r.name),
        format('update %s set %I = default', r.name, r.col),
        format('delete from %s', r.name),
        format('copy %s to stdout', r.name)]) as statement
    from relation r where r.kind in ('r', 'p', 'v')
    union all
    select unnest(array[
        format('truncate %s', r.name),
        format('create index on %s (%I)', r.name, r.col),
        format('alter table %s disable trigger all', r.name),
        format('alter table %s no inherit app.note', r.name),
        format('create trigger mine before insert on %s for each row execute function app.mine()', r.name),
        format('create rule mine as on insert to %s do instead nothing', r.name),
        format('create policy mine on %s', r.name),
        format('create table app.child (like %s, foreign key (%I) references %s)', r.name, r.col, r.name),
        format('grant select on %s to app', r.name),
        format('drop table %s', r.name)])
    from relation r where r.kind in ('r', 'p')
    union all
    select unnest(array[
        format('select nextval(%L)', r.name),
        format('select setval(%L, 1)', r.name),
        format('select last_value from %s', r.name),
        format('alter sequence %s restart', r.name)])
    from relation r where r.kind = 'S') s
order by 1
