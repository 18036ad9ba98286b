-- Objects that bear the names of those that the guard's and the ledger's functions use, in a schema that
-- comes first in the search path, and in the temporary schema. Whoever is misled by one raises, or finds
-- no row.
create schema if not exists app;
create function app.trap() returns text language plpgsql as $$ begin raise exception 'misled'; end $$;

create function app.clock_timestamp() returns timestamptz language sql as $$ select app.trap()::timestamptz $$;
create function app.hashtextextended(text, bigint) returns bigint language sql as $$ select app.trap()::bigint $$;
create function app.current_setting(text) returns text language sql as $$ select app.trap() $$;
create function app.current_setting(text, boolean) returns text language sql as $$ select app.trap() $$;
create function app.set_config(text, text, boolean) returns text language sql as $$ select app.trap() $$;
create function app.nextval(regclass) returns bigint language sql as $$ select app.trap()::bigint $$;
create function app.octet_length(text) returns int language sql as $$ select app.trap()::int $$;
create function app.cardinality(anyarray) returns int language sql as $$ select app.trap()::int $$;
create function app.to_jsonb(anyelement) returns jsonb language sql as $$ select app.trap()::jsonb $$;
create function app.pg_current_xact_id_if_assigned() returns xid8 language sql as $$ select app.trap()::xid8 $$;
create function app.pg_advisory_xact_lock(bigint) returns void language sql as $$ select app.trap() $$;
create function app.pg_advisory_xact_lock_shared(bigint) returns void language sql as $$ select app.trap() $$;

create function app.trap_eq(bigint, bigint) returns boolean language sql as $$ select app.trap()::boolean $$;
create function app.trap_eq(text, text) returns boolean language sql as $$ select app.trap()::boolean $$;
create function app.trap_eq(uuid, uuid) returns boolean language sql as $$ select app.trap()::boolean $$;
create function app.trap_eq(interval, interval) returns boolean language sql as $$ select app.trap()::boolean $$;
create operator app.= (leftarg = bigint, rightarg = bigint, function = app.trap_eq);
create operator app.<> (leftarg = bigint, rightarg = bigint, function = app.trap_eq);
create operator app.< (leftarg = bigint, rightarg = bigint, function = app.trap_eq);
create operator app.> (leftarg = bigint, rightarg = bigint, function = app.trap_eq);
create operator app.= (leftarg = text, rightarg = text, function = app.trap_eq);
create operator app.<> (leftarg = text, rightarg = text, function = app.trap_eq);
create operator app.= (leftarg = uuid, rightarg = uuid, function = app.trap_eq);
create operator app.<> (leftarg = uuid, rightarg = uuid, function = app.trap_eq);
create operator app.> (leftarg = interval, rightarg = interval, function = app.trap_eq);
create operator app.<= (leftarg = interval, rightarg = interval, function = app.trap_eq);

create temporary table resource (resource text, fence bigint, holder uuid);
create temporary table opening (seq bigint);
create temporary table floor (fence bigint);
create temporary table refusal (seq bigint);
create temporary table account (id bigint, name text, balance bigint);
create temporary table entry (seq bigint);
create temporary table permit (resource text, fence bigint, holder uuid);
create temporary table pg_locks (pid int);
create temporary table pg_proc (oid oid);
create temporary table pg_roles (oid oid, rolname text);
create function pg_temp.judge(bigint, uuid, boolean, bigint, uuid) returns text language sql as $$ select null $$;
create function pg_temp.lock_key(text) returns bigint language sql as $$ select 1::bigint $$;

set search_path = app, pg_temp, pg_catalog;
