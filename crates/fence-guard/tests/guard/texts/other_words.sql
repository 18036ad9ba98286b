-- open, admit and close of a version that has an outcome more.
create or replace function fence.open(
    p_resource text, p_fence bigint, p_holder uuid, p_valid_for interval,
    p_wait interval default '10 s', p_call text default 'open',
    out outcome text, out mark bigint, out mark_holder uuid, out seq bigint,
    out valid_until timestamptz, out takeover boolean)
language sql as $$ select 'deferred', 1, p_holder, 1, now(), false $$;

create or replace function fence.admit(
    p_permits fence.permit[], p_operation text, p_request uuid, p_valid_for interval,
    p_write jsonb default '{}', p_call text default 'admit',
    out outcome text, out resource text, out mark bigint, out mark_holder uuid)
language sql as $$ select 'deferred', null, 1, null::uuid $$;

create or replace function fence.close(
    p_resource text, p_fence bigint, p_holder uuid, p_lease_left_ms bigint,
    p_wait interval default '10 s', p_call text default 'close',
    out outcome text, out mark bigint, out mark_holder uuid)
language sql as $$ select 'deferred', 1, p_holder $$;
