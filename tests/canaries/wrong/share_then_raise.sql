-- WRONG ON PURPOSE: breaks liveness.
--
-- The write shares the row of the mark, and then changes it. Two writers that share it at once wait for each
-- other, and Postgres kills one of them.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for share;
    outcome := judge(m, p_fence, p_holder);
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
        update mark x set written = x.written + 1 where x.resource = p_resource;
    else
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    end if;
    return outcome;
end $$;
