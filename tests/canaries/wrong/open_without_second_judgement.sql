-- WRONG ON PURPOSE: breaks S1.
--
-- The opening judges by what it read before it waited for the row, so that a lower fence sets the mark back.
create or replace function open(p_resource text, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    m mark;
    outcome text;
begin
    perform have_mark(p_resource);
    select * into m from mark x where x.resource = p_resource;
    outcome := judge_open(m, p_fence, p_holder);
    if outcome = 'opened' then
        perform from mark x where x.resource = p_resource for update;
        perform raise_mark(p_resource, p_fence, p_holder);
    end if;
    return outcome;
end $$;
