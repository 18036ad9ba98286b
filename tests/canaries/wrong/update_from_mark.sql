-- WRONG ON PURPOSE: breaks S2.
--
-- The mark is joined into the UPDATE. After a wait only the updated row is read again; the joined one is
-- the version that the statement began with.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
begin
    update tally t set writes = t.writes + 1
    from mark m
    where t.resource = p_resource and m.resource = t.resource and (m.fence, m.holder) = (p_fence, p_holder);
    if not found then
        return refuse_by_a_look(p_resource, p_fence, p_holder, p_request);
    end if;
    perform enter(p_resource, p_fence, p_holder, p_request);
    return 'admitted';
end $$;
