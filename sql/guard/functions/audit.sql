-- fence.audit: what the guard's own rows say about its rules. No row means that they hold.
-- One statement, one snapshot, no lock: it can run on a live system. Where openings were pruned, what rests on
-- them is judged as far back as they reach (fence.audit_from).
create or replace function fence.audit()
returns table (rule text, resource text, seq bigint, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select 'S1', o.resource, o.seq, format('fence %s was opened after fence %s', o.fence, o.before)
    from (select x.resource, x.seq, x.fence,
                 lag(x.fence) over (partition by x.resource order by x.seq) as before
          from fence.opening x) o
    where o.fence <= o.before
    union all
    select 'S4', coalesce(r.resource, o.resource), coalesce(r.opened_seq, o.seq),
           case when r.resource is null then format('fence %s was opened, and has no mark', o.fence)
                when o.resource is null then format('the mark is %s, and nobody has opened it', r.fence)
                else format('the mark is %s by %s, the highest opening %s by %s',
                            r.fence, r.holder, o.fence, o.holder) end
    from fence.resource r
    full join (select distinct on (x.resource) x.resource, x.fence, x.holder, x.seq, x.folded_seq
               from fence.opening x order by x.resource, x.fence desc) o on o.resource = r.resource
    where (r.fence, r.holder, r.opened_seq) is distinct from (o.fence, o.holder, o.seq)
      -- A mark that was folded lives on in the floor.
      and not (r.resource is null and o.folded_seq is not null
               and o.fence < (select f.fence from fence.floor f))
    union all
    -- The row's own check binds what it says; here it is held against what was opened by then, or folded.
    select 'S7', f.resource, f.seq,
           format('refused as %s against mark %s, which nobody had opened', f.reason, f.observed_fence)
    from fence.refusal f
    where case when f.observed_holder is null
               then f.observed_fence > (select l.fence from fence.floor l)
               else f.seq >= (select fence.audit_from())
                    and not exists (select from fence.opening o
                                where o.resource = f.resource and o.fence = f.observed_fence
                                  and o.holder = f.observed_holder and o.seq < f.seq) end
$$;
