-- A small guard that is right, so that each wrong one is this one with one thing changed. The scenarios
-- have to acquit it: what convicts a canary is then what was changed.

create sequence seq as bigint cache 1;

create table mark (
    resource text   not null primary key,
    fence    bigint not null,
    holder   uuid   not null,
    -- Only some of the wrong guards write here.
    written  bigint not null default 0
);

create table opening (
    seq      bigint not null default nextval('seq') primary key,
    resource text   not null,
    fence    bigint not null,
    holder   uuid   not null
);

create table refusal (
    resource         text   not null,
    presented_fence  bigint not null,
    presented_holder uuid   not null,
    request          uuid   not null,
    reason           text   not null,
    observed_fence   bigint not null,
    observed_holder  uuid   not null
);

create function judge(m mark, p_fence bigint, p_holder uuid) returns text language sql immutable as $$
    select case
        when p_fence < m.fence then 'stale'
        when p_fence > m.fence then 'not open'
        when p_holder <> m.holder then 'conflict'
        else 'admitted'
    end
$$;

create function judge_open(m mark, p_fence bigint, p_holder uuid) returns text language sql immutable as $$
    select case
        when p_fence < m.fence then 'stale'
        when p_fence > m.fence then 'opened'
        when p_holder <> m.holder then 'conflict'
        else 'already open'
    end
$$;

-- A row to lock, also for a resource that was never opened. It looks first: an insert would wait for
-- whoever is changing the row, before the first judgement.
create function have_mark(p_resource text) returns void language sql as $$
    insert into mark (resource, fence, holder)
    select p_resource, 0, '00000000-0000-0000-0000-000000000000'
    where not exists (select from mark m where m.resource = p_resource)
    on conflict do nothing
$$;

create function raise_mark(p_resource text, p_fence bigint, p_holder uuid) returns void language sql as $$
    update mark m set fence = p_fence, holder = p_holder where m.resource = p_resource;
    insert into opening (resource, fence, holder) values (p_resource, p_fence, p_holder);
$$;

create function refuse(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid, p_reason text, m mark)
returns void language sql as $$
    insert into refusal values (p_resource, p_fence, p_holder, p_request, p_reason, m.fence, m.holder)
$$;

-- For guards whose check says only "no": looks why, in a statement of its own.
create function refuse_by_a_look(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for share;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'admitted' then
        return 'try again';
    end if;
    perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    return outcome;
end $$;

create function open(p_resource text, p_fence bigint, p_holder uuid) returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    perform have_mark(p_resource);
    select * into m from mark x where x.resource = p_resource;
    outcome := judge_open(m, p_fence, p_holder);
    if outcome = 'opened' then
        select * into m from mark x where x.resource = p_resource for update;
        outcome := judge_open(m, p_fence, p_holder);
    end if;
    if outcome = 'opened' then
        perform raise_mark(p_resource, p_fence, p_holder);
    end if;
    return outcome;
end $$;

create function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for share;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    end if;
    return outcome;
end $$;
