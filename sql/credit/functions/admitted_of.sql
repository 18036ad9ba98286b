-- credit.admitted_of: those of the charges whose permits the guard admits, without waiting: the rows of their resources
-- are locked FOR SHARE to the end of the transaction, save those that somebody else has locked, or waits for.
--
-- The advisory lock comes first, as everywhere: it is not to be had where an opening waits, so no stream of batches
-- passes it by. The lock of the rows is a statement of its own, so that it sees what was committed before it.
create or replace function credit.admitted_of(p_charges credit.numbered_charge[])
returns credit.numbered_charge[] language plpgsql as $$
declare
    v_free text[];
    v_admitted fence.permit[];
begin
    v_free := array(
        select r.resource from (select distinct i.resource from unnest(p_charges) i) r
        where pg_try_advisory_xact_lock_shared(fence.lock_key(r.resource)));
    v_admitted := array(
        select (x.resource, x.fence, x.holder)::fence.permit
        from (select l.resource, l.fence, l.holder, l.closed_seq
              from fence.resource l where l.resource = any (v_free) for share skip locked) x
        where x.closed_seq is null);
    return array(
        select i from unnest(p_charges) i
        where (i.resource, i.fence, i.holder) in (select a.resource, a.fence, a.holder from unnest(v_admitted) a)
        order by i.n);
end $$;
