-- fence.judge_open: what an opening under this permit finds. Null means: raise the mark.
--
-- Called twice by each function that opens: with a plain read, and with what the lock returned.
create or replace function fence.judge_open(r fence.resource, p_fence bigint, p_holder uuid)
returns text language plpgsql stable as $$
begin
    return case
        when p_fence < r.fence then 'stale'
        -- An opening that the guard minted while Redis was away is not cut short by Redis' return.
        when p_fence > r.fence then
            case when r.minted and r.closed_seq is null and r.holder <> p_holder
                      and r.valid_until > clock_timestamp() then 'busy' end
        when p_holder <> r.holder then 'conflict'
        when r.closed_seq is not null then 'closed'
        else 'already open'
    end;
end $$;
