-- WRONG ON PURPOSE: breaks liveness.
--
-- A write is let in where the last written fence is *below* its own (C26): the holder's second write is
-- turned away. None of the four reasons is true of it, so it is not kept as a refusal.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    select * into m from mark x where x.resource = p_resource for update;
    outcome := judge(m, p_fence, p_holder);
    if outcome <> 'admitted' then
        perform refuse(p_resource, p_fence, p_holder, p_request, outcome, m);
    elsif m.written < p_fence then
        update mark x set written = p_fence where x.resource = p_resource;
        perform enter(p_resource, p_fence, p_holder, p_request);
    else
        outcome := 'written already';
    end if;
    return outcome;
end $$;
