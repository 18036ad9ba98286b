-- fence.fence_after: the least fence of a resource whose opening has a number above this one; 9223372036854775807 where
-- there is none, null for null. Fences and numbers of a resource grow together (S1), so it is looked up by halves, also
-- where the opening of that number itself was pruned, or is of another resource.
create or replace function fence.fence_after(p_resource text, p_seq bigint)
returns bigint language plpgsql stable as $$
declare
    v_low bigint := 1;
    v_high bigint;
    v_middle bigint;
    v_fence bigint;
    v_seq bigint;
    v_found bigint := 9223372036854775807;
begin
    if p_seq is null then
        return null;
    end if;
    select max(o.fence) into v_high from fence.opening o where o.resource = p_resource collate "C";
    while v_low <= v_high loop
        v_middle := v_low + (v_high - v_low) / 2;
        select o.fence, o.seq into v_fence, v_seq from fence.opening o
            where o.resource = p_resource collate "C" and o.fence >= v_middle order by o.fence limit 1;
        if v_seq > p_seq then
            v_found := v_fence;
            v_high := v_middle - 1;
        else
            v_low := v_fence + 1;
        end if;
    end loop;
    return v_found;
end $$;
