-- WRONG ON PURPOSE: breaks S2.
--
-- Only writes raise the mark; an opening is noted, and drains, but raises nothing. In the window between
-- the new holder's reading and its first write the old holder is still let in.
create or replace function open(p_resource text, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    newest mark;
    outcome text;
begin
    perform have_mark(p_resource);
    perform from mark x where x.resource = p_resource for update;
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
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for update;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'not open' and exists (
        select from opening o
        where o.resource = p_resource and o.fence = p_fence and o.holder = p_holder) then
        update mark x set fence = p_fence, holder = p_holder where x.resource = p_resource;
        outcome := 'admitted';
    end if;
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    end if;
    return outcome;
end $$;
