-- WRONG ON PURPOSE: breaks S2.
--
-- FOR KEY SHARE is the lock of foreign keys: it holds back whoever deletes the row or changes its key, but
-- not an UPDATE of the mark.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for key share;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    end if;
    return outcome;
end $$;

-- The lock that an UPDATE of the mark takes.
create or replace function open(p_resource text, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    perform have_mark(p_resource);
    select * into m from mark x where x.resource = p_resource for no key update;
    outcome := judge_open(m, p_fence, p_holder);
    if outcome = 'opened' then
        perform raise_mark(p_resource, p_fence, p_holder);
    end if;
    return outcome;
end $$;
