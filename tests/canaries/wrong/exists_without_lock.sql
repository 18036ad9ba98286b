-- WRONG ON PURPOSE: breaks S2.
--
-- The mark is checked, but its row is not locked (C25): an opening has nothing to wait for, and the write
-- lands after what the new holder has read.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
begin
    if not exists (select from mark m
                   where m.resource = p_resource and m.fence = p_fence and m.holder = p_holder) then
        return refuse_by_a_look(p_resource, p_fence, p_holder, p_request);
    end if;
    perform enter(p_resource, p_fence, p_holder, p_request);
    return 'admitted';
end $$;
