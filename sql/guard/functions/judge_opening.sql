-- fence.judge_opening: what an opening finds: under the fence that the permit shows, or, where p_fence is null,
-- under the next one, minted by the guard. Null means: raise the mark.
--
-- Called twice by each opening: with a plain read, and with what the lock returned.
create or replace function fence.judge_opening(r fence.resource, p_fence bigint, p_holder uuid)
returns text language plpgsql as $$
declare
    v_valid boolean := r.closed_seq is null and r.valid_until > clock_timestamp();
begin
    if p_fence is null then
        return case
            when r.holder = p_holder then
                case when r.closed_seq is null then 'already open' else 'closed' end
            -- A holder is one acquisition: whose opening was overtaken does not get another.
            when exists (select from fence.opening o where o.resource = r.resource and o.holder = p_holder)
                then 'stale'
            when v_valid then 'busy'
        end;
    end if;
    return case
        when p_fence < r.fence then 'stale'
        -- An opening that the guard minted while Redis was away is not cut short by Redis' return.
        when p_fence > r.fence then case when r.minted and v_valid and r.holder <> p_holder then 'busy' end
        when p_holder <> r.holder then 'conflict'
        when r.closed_seq is not null then 'closed'
        else 'already open'
    end;
end $$;
