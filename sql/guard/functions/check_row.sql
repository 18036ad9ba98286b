-- fence.check_row: the row trigger of fence.protect. Its argument is the column that names a row's resource.
--
-- AFTER the row was written: it judges what is stored, whatever triggers of the table's owner made of it, and
-- generated columns have their values. Still before the commit, which is all that counts. An UPDATE needs the
-- permit of the resource that the row leaves and of the one that it comes to.
--
-- Runs with the rights of whoever writes: reading the column may run casts of the table's owner, and those must
-- not have the guard's rights. What it hands on is a text.
--
-- A column called "resource" is read as it stands, for nothing, however wide the row is. PL/pgSQL cannot name
-- another one but by a statement of its own: 40 us a row, and that copies the row, large values included: 7 ms for
-- each MB (made JSON, the row costs 10 us, and 9 ms for each MB). Wide tables take a stored generated column called
-- "resource".
--
-- Raises ZF007; DETAIL is JSON: what fence.check_write says, and the table and operation. And 42703 where the table
-- has no such column: nothing is written by a name that nobody bears.
create or replace function fence.check_row()
returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_old text;
    v_new text;
    v_refusal jsonb;
begin
    -- Where no column bears the name, Postgres reads ($1).name as name($1), and may know such a function: without
    -- its column "count" each row would be of resource "1". So the column is asked for first, which raises, for 1 us.
    if tg_argv[0] <> 'resource' and has_column_privilege(tg_relid, tg_argv[0], 'select') is null then
        raise undefined_column;
    end if;
    if tg_op <> 'INSERT' then
        if tg_argv[0] = 'resource' then
            v_old := old.resource;
        else
            execute format('select ($1).%I::text', tg_argv[0]) into v_old using old;
        end if;
    end if;
    if tg_op <> 'DELETE' then
        if tg_argv[0] = 'resource' then
            v_new := new.resource;
        else
            execute format('select ($1).%I::text', tg_argv[0]) into v_new using new;
        end if;
    end if;

    -- A writer that carries no permit may have no right to ask, and is told all the same.
    if coalesce(current_setting('fence.admitted', true), '') = '' then
        v_refusal := jsonb_build_object(
            'reason', case when coalesce(v_new, v_old) is null then 'no resource' else 'not admitted' end,
            'resource', coalesce(v_new, v_old));
    else
        if tg_op <> 'INSERT' then
            v_refusal := fence.check_write(v_old);
        end if;
        if v_refusal is null and (tg_op = 'INSERT' or tg_op = 'UPDATE' and v_new is distinct from v_old) then
            v_refusal := fence.check_write(v_new);
        end if;
    end if;
    if v_refusal is null then
        return null;
    end if;

    v_refusal := v_refusal || jsonb_build_object('table', tg_relid::regclass::text, 'operation', tg_op);
    raise exception using
        errcode = 'ZF007',
        message = format('%s of a row of %s is refused: %s', lower(tg_op),
            coalesce('resource ' || (v_refusal ->> 'resource'), 'no resource'), v_refusal ->> 'reason'),
        detail = v_refusal::text,
        hint = case when v_refusal ->> 'reason' = 'no resource'
            then format('give the row a resource in column %I; mend old rows before the table is protected', tg_argv[0])
            else 'begin the transaction with fence.admit under a permit of this resource: '
                 'its refusal is kept as a row, this error is not' end,
        schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
end $$;
