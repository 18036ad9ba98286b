-- fence.canonical: the permits in the order in which everybody locks resources (bytes of their names).
-- Raises ZF004 for none, more than 64, two of one resource, or what can be no permit.
create or replace function fence.canonical(p_permits fence.permit[])
returns fence.permit[] language plpgsql immutable as $$
declare
    p fence.permit;
    v_permits fence.permit[];
begin
    if coalesce(cardinality(p_permits), 0) not between 1 and 64 then
        raise exception using errcode = 'ZF004', message = 'admit takes 1 to 64 permits';
    end if;
    if cardinality(p_permits) = 1 then
        v_permits := p_permits;
    else
        select array_agg(u order by u.resource collate "C") into v_permits from unnest(p_permits) u;
        if (select count(distinct u.resource) from unnest(p_permits) u) < cardinality(p_permits) then
            raise exception using errcode = 'ZF004', message = 'two permits name one resource';
        end if;
    end if;
    foreach p in array v_permits loop
        perform fence.check_permit(p.resource, p.fence, p.holder);
    end loop;
    return v_permits;
end $$;
