-- fence.audit: what the guard's own rows say about its rules. No row means that they hold.
-- One statement, one snapshot, no lock: it can run on a live system.
create or replace function fence.audit()
returns table (rule text, resource text, seq bigint, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select 'S1', o.resource, o.seq, format('fence %s was opened after fence %s', o.fence, o.before)
    from (select x.resource, x.seq, x.fence,
                 lag(x.fence) over (partition by x.resource order by x.seq) as before
          from fence.opening x) o
    where o.fence <= o.before
    union all
    select 'S4', r.resource, r.opened_seq, format('the mark is %s, fence %s was opened', r.fence, o.fence)
    from fence.resource r
    cross join lateral (select x.fence from fence.opening x where x.resource = r.resource
                        order by x.fence desc limit 1) o
    where o.fence > r.fence
    union all
    -- The row's own check binds what it says; here it is held against what was opened by then.
    select 'S7', f.resource, f.seq,
           format('refused as stale against mark %s, which nobody had opened', f.observed_fence)
    from fence.refusal f
    where f.reason in ('stale', 'conflict', 'closed') and f.observed_holder is not null
      and not exists (select from fence.opening o
                      where o.resource = f.resource and o.fence = f.observed_fence
                        and o.holder = f.observed_holder and o.seq < f.seq)
$$;
