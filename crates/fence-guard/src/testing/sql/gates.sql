-- The gates of the conformance kit: triggers at which the writes of a table stand for as long as the kit holds
-- their lock. They come after every other check of a row, and change nothing.
--
-- Its argument is the number of its lock.
create schema if not exists fence_kit;

create or replace function fence_kit.stand() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint);
    return null;
end $$;

-- The number of the lock of a gate of a table.
create or replace function fence_kit.lock_of(p_table text, p_gate text) returns bigint language sql stable as $$
    select hashtextextended('fence_kit ' || p_gate || ' ' || p_table::regclass::oid, 0)
$$;

create or replace function fence_kit.take_down(p_table text) returns void language plpgsql
set client_min_messages = warning as $$
begin
    execute format('drop trigger if exists zz_kit_in_statement on %s', p_table::regclass);
    execute format('drop trigger if exists zz_kit_before_commit on %s', p_table::regclass);
end $$;

-- Two for each table: behind the row's own triggers, within the statement; and before the commit, when
-- everything that the writer checks has been checked.
create or replace function fence_kit.put_up(p_table text) returns void language plpgsql as $$
begin
    perform fence_kit.take_down(p_table);
    execute format('create constraint trigger zz_kit_in_statement after insert or update or delete on %s
                    for each row execute function fence_kit.stand(%L)',
                   p_table::regclass, fence_kit.lock_of(p_table, 'in statement'));
    execute format('create constraint trigger zz_kit_before_commit after insert or update or delete on %s
                    deferrable initially deferred for each row execute function fence_kit.stand(%L)',
                   p_table::regclass, fence_kit.lock_of(p_table, 'before commit'));
end $$;
