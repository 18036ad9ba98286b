-- fence.prune_openings: deletes openings that ended longer ago than this: another opening replaced them, or their
-- mark was folded. A job of the operator; arguments, results and errors as fence.prune_refusals.
--
-- Never deleted: the newest opening of a resource that has a mark, closed or not (so none that may still act);
-- what a keeper names, and the opening that replaced it: whoever judges whether an opening was taken over needs
-- the one that took over. And the newest opening of a resource without a mark stays for as long as an older one
-- does: it tells that those were folded (fence.folded_mark, fence.audit), and when they ended.
--
-- A keeper is a function (resource text, fence bigint) returns boolean of another schema, which says whether
-- something of that schema still refers to this opening: for instance, an open hold. fence.keep_openings_by
-- makes it one. Raises 42883 when a keeper is gone: nothing is deleted then.
--
-- fence.audit_from tells from which number on openings are still complete.
create or replace function fence.prune_openings(
    p_older_than interval, p_batch int default 1000, p_call text default 'prune_openings',
    out gone bigint, out through boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_cutoff timestamptz;
    v_after bigint;
    v_seqs bigint[];
    v_ended bigint[];
    v_audit_from bigint;
begin
    select j.cutoff, j.after_seq into v_cutoff, v_after
        from fence.begin_job('prune_openings', p_call, p_older_than, p_batch) j;
    v_seqs := array(select o.seq from fence.opening o where o.seq > v_after order by o.seq limit p_batch);
    v_ended := fence.forgettable(fence.unkept(array(
        select e.seq from fence.ended(v_seqs) e where e.ended_at < v_cutoff)));
    v_audit_from := (select max(e.ended_seq) from fence.ended(v_ended) e);
    delete from fence.opening o where o.seq = any (v_ended);
    get diagnostics gone = row_count;
    through := cardinality(v_seqs) < p_batch;
    perform fence.end_job('prune_openings', through, v_seqs[cardinality(v_seqs)], null, v_audit_from);
end $$;
