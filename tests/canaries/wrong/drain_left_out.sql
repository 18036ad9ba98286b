-- WRONG ON PURPOSE: breaks S2.
--
-- Writers share the row of the mark, but an opening does not touch it: it adds a row of its own, and writers
-- judge by the newest of those. Writes that start later are refused; those in flight are not waited for.
create or replace function open(p_resource text, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    newest mark;
    outcome text;
begin
    perform have_mark(p_resource);
    -- Openings wait for each other, so that their order is right.
    perform pg_advisory_xact_lock(hashtextextended(current_schema || '/' || p_resource, 1));
    select o.resource, o.fence, o.holder into newest.resource, newest.fence, newest.holder
        from opening o where o.resource = p_resource order by o.fence desc limit 1;
    outcome := case when newest.fence is null then 'opened' else judge_open(newest, p_fence, p_holder) end;
    if outcome = 'opened' then
        insert into opening (resource, fence, holder) values (p_resource, p_fence, p_holder);
    end if;
    return outcome;
end $$;

create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    newest mark;
    outcome text;
begin
    perform from mark x where x.resource = p_resource for share;
    select o.resource, o.fence, o.holder into newest.resource, newest.fence, newest.holder
        from opening o where o.resource = p_resource order by o.fence desc limit 1;
    outcome := judge(newest, p_fence, p_holder);
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, newest);
    end if;
    return outcome;
end $$;
