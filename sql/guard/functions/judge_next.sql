-- fence.judge_next: what an opening without a lease finds. Null means: mint, and raise the mark.
create or replace function fence.judge_next(r fence.resource, p_holder uuid)
returns text language plpgsql stable as $$
begin
    return case
        when r.holder = p_holder then case when r.closed_seq is null then 'already open' else 'closed' end
        when r.closed_seq is null and r.valid_until > clock_timestamp() then 'busy'
    end;
end $$;
