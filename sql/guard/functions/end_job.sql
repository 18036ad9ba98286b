-- fence.end_job: keeps where a job of the operator stopped, or that its pass is through and begins anew. What was
-- written for the triggers to see is taken back.
create or replace function fence.end_job(
    p_job text, p_through boolean, p_after_seq bigint, p_after_name text, p_audit_from bigint default null)
returns void language plpgsql as $$
begin
    update fence.retention r
        set after_seq  = case when p_through then 0 else coalesce(p_after_seq, r.after_seq) end,
            after_name = case when p_through then '' else coalesce(p_after_name, r.after_name) end,
            audit_from = greatest(r.audit_from, p_audit_from)
        where r.job = p_job;
    perform set_config('fence.job', '', true);
end $$;
