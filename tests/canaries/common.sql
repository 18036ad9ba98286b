-- What every guard here has, right or wrong. No name says its schema: each guard is built in a schema of
-- its own, which is the search path of its callers.
--
-- The interface that the scenarios use:
--   open(resource, fence, holder) returns text            'opened', 'already open', or a refusal
--   write(resource, fence, holder, request) returns text  'admitted', or a refusal
--   isolation() returns text                              the level that the guard is to be used with
--   opening, entry, refusal                               what the checker reads, as tables or views

create function isolation() returns text language sql immutable as $$ select 'read committed' $$;

-- The writes that were let in.
create table entry (
    resource text   not null,
    fence    bigint not null,
    holder   uuid   not null,
    request  uuid   not null
);

-- What a holder found right after its open had returned: how many entries under lower fences. Whatever
-- it decides by that has to stay true.
create table reading (
    resource text   not null,
    fence    bigint not null,
    seen     bigint not null
);

-- The writes that the rightful holder must be able to make.
create table due (
    resource text not null,
    request  uuid not null
);

-- A row of the service's own that writes change, for guards that are part of an UPDATE.
create table tally (
    resource text   not null primary key,
    writes   bigint not null default 0
);

create function gate_key(p_resource text) returns bigint language sql stable as $$
    select hashtextextended(current_schema || '/' || p_resource, 0)
$$;

-- A write stands between its check and its commit for as long as the scenario holds the gate.
create function enter(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns void language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(gate_key(p_resource));
    insert into entry values (p_resource, p_fence, p_holder, p_request);
end $$;

create function take_reading(p_resource text, p_fence bigint) returns void language sql as $$
    insert into reading
    select p_resource, p_fence, count(*) from entry e where e.resource = p_resource and e.fence < p_fence
$$;
