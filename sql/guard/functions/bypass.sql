-- fence.bypass: who and what could write around the guard. A row is a fact to judge, not a fault: the owner
-- is always among them. kind:
--   'owner', 'superuser', 'member of owner'  may do anything to the guard's and the ledger's tables
--   'table privilege'                        was given a right to write to one of their tables or columns
--   'function privilege'                     may call a function that is only meant for the guard itself
--   'member of grantee'                      may act as a role that is named for what was granted to it
--   'operator'                               may take away refusals, openings and marks that are old enough
--   'schema privilege'                       may put objects of its own beside the guard's
--   'trigger'                                a trigger that keeps marks and rows is switched off, or is gone, or
--                                            another trigger or rule is in front of the rows; or one of a protected
--                                            table goes by a column that is not the one that it was protected by
--   'foreign table'                          a part of a protected table that is written to elsewhere
--   'unlogged table'                         a protected table, or a part of one, that a crash empties
--   'setting'                                switches triggers off, or durability
--   'subscription'                           writes replicated rows, for which no trigger fires; or who may make one
--                                            that writes to a protected table
-- The tables of services that fence.protect guards are among them, and who may drop them. Its parts are
-- fence.bypass_guard, fence.bypass_tables and fence.bypass_owners; who may act as whom says fence.acts_as.
create or replace function fence.bypass()
returns table (kind text, subject text, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with found as materialized (
        select b.kind, b.subject, b.finding from fence.bypass_guard() b
        union all
        select b.kind, b.subject, b.finding from fence.bypass_tables() b
        union all
        select b.kind, b.subject, b.finding from fence.bypass_owners() b
    ), acts_as as materialized (
        select a.* from fence.acts_as() a
    )
    select f.kind, f.subject, f.finding from found f
    union all
    -- Once for each role that they may act as, whatever was granted to that; and not where they may do more, as the
    -- guard's owner.
    select distinct 'member of grantee', r.rolname::text,
           format('may act as %s, and use what was granted to it', g.rolname)
    from found f
    join pg_roles g on g.rolname = f.subject and not g.rolsuper
    join acts_as a on a.acts_as = g.oid and a.actor <> g.oid
    join pg_roles r on r.oid = a.actor
    where f.finding ~ '^(INSERT|UPDATE|DELETE|TRUNCATE|TRIGGER|CREATE|EXECUTE|may SET|may ALTER SYSTEM) '
      and (r.oid, (select s.nspowner from pg_namespace s where s.nspname = 'fence'))
          not in (select o.actor, o.acts_as from acts_as o)
$$;
