-- fence.prune_refusals: deletes refusals that were last repeated longer ago than this. A job of the operator.
--
-- older_than   0 to 100 years; batch: how many rows a call looks at, 1 to 10000
-- gone         how many rows this call deleted
-- through      the pass has come to the end, and the next call begins anew; while false, call again
--
-- A row that is being repeated at the moment is left to the next pass. First in its transaction (ZF002); raises
-- ZF001 outside READ COMMITTED, ZF004 on bad arguments.
create or replace function fence.prune_refusals(
    p_older_than interval, p_batch int default 1000, p_call text default 'prune_refusals',
    out gone bigint, out through boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_cutoff timestamptz;
    v_after bigint;
    v_seqs bigint[];
begin
    select j.cutoff, j.after_seq into v_cutoff, v_after
        from fence.begin_job('prune_refusals', p_call, p_older_than, p_batch) j;
    v_seqs := array(select f.seq from fence.refusal f where f.seq > v_after order by f.seq limit p_batch);
    with old as (
        select f.seq from fence.refusal f
        where f.seq = any (v_seqs) and f.last_at < v_cutoff for update skip locked
    )
    delete from fence.refusal f using old where f.seq = old.seq;
    get diagnostics gone = row_count;
    through := cardinality(v_seqs) < p_batch;
    perform fence.end_job('prune_refusals', through, v_seqs[cardinality(v_seqs)], null);
end $$;
