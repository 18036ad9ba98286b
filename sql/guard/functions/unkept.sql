-- fence.unkept: of some openings those that no keeper wants to stay, neither for themselves nor because they
-- replaced one that stays. What a keeper does not know (null) stays.
create or replace function fence.unkept(p_seqs bigint[])
returns bigint[] language plpgsql as $$
declare
    k record;
    v_seqs bigint[] := p_seqs;
begin
    for k in select e.function_name, fence.keeper_function(e.function_name) as name from fence.keeper e order by 1 loop
        execute format(
            'select array(select o.seq from fence.opening o
                          where o.seq = any ($1) and not %1$s(o.resource, o.fence)
                            and not (o.previous_fence is not null and %1$s(o.resource, o.previous_fence)))', k.name)
            into v_seqs using v_seqs;
    end loop;
    return v_seqs;
end $$;
