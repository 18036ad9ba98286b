-- WRONG ON PURPOSE: breaks S2.
--
-- An advisory lock and a plain read of the mark would do under READ COMMITTED. Under REPEATABLE READ the
-- snapshot is older than the lock: a write that waited for an opening does not see it.
create or replace function isolation() returns text language sql immutable as $$
    select 'repeatable read'
$$;

create function mark_key(p_resource text) returns bigint language sql stable as $$
    select hashtextextended(current_schema || '/' || p_resource, 1)
$$;

create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    perform pg_advisory_xact_lock_shared(mark_key(p_resource));
    select * into m from mark x where x.resource = p_resource;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    end if;
    return outcome;
end $$;

create or replace function open(p_resource text, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    perform have_mark(p_resource);
    perform pg_advisory_xact_lock(mark_key(p_resource));
    select * into m from mark x where x.resource = p_resource for update;
    outcome := judge_open(m, p_fence, p_holder);
    if outcome = 'opened' then
        perform raise_mark(p_resource, p_fence, p_holder);
    end if;
    return outcome;
end $$;
