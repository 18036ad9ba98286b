-- fence.judge_next: what an opening without a lease finds. Null means: mint, and raise the mark. A holder is
-- one acquisition: whose opening was overtaken does not get another.
create or replace function fence.judge_next(r fence.resource, p_holder uuid)
returns text language plpgsql as $$
begin
    return case
        when r.holder = p_holder then case when r.closed_seq is null then 'already open' else 'closed' end
        when exists (select from fence.opening o where o.resource = r.resource and o.holder = p_holder)
            then 'stale'
        when r.closed_seq is null and r.valid_until > clock_timestamp() then 'busy'
    end;
end $$;
