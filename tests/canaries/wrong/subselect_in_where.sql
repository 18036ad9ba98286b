-- WRONG ON PURPOSE: breaks S2.
--
-- The mark is read by a sub-select in the WHERE of the UPDATE (C24). An UPDATE that has waited for its row
-- looks at the row again, but not at the sub-select: that was computed once, before the wait.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
begin
    update tally t set writes = t.writes + 1
    where t.resource = p_resource
      and (select (m.fence, m.holder) = (p_fence, p_holder) from mark m where m.resource = p_resource);
    if not found then
        return refuse_by_a_look(p_resource, p_fence, p_holder, p_request);
    end if;
    perform enter(p_resource, p_fence, p_holder, p_request);
    return 'admitted';
end $$;
