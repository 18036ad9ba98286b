-- credit.audit_guarded: S3, and S6 across the two tables: each guarded entry, and each hold when it was made, captured
-- or released, was written under the newest opening of its resource and before its close; and no request id was used
-- twice. Where openings were pruned, S3 is judged for what was written from fence.audit_from() on: what older rows
-- were written under need not be there.
create or replace function credit.audit_guarded()
returns table (rule text, subject text, seq bigint, finding text) language sql stable as $$
    with written as (
        select e.seq, 'entry' as what, e.resource, e.fence, e.holder from credit.entry e where e.fence is not null
        union all
        select h.seq, 'hold', h.resource, h.fence, h.holder from credit.hold h
        union all
        select h.resolved_seq, h.resolution, h.resource, h.resolved_fence, h.resolved_holder
        from credit.hold h where h.resolved_fence is not null
    )
    select 'S3', w.resource, w.seq,
           format('%s was written under fence %s by %s; the newest opening then was %s by %s',
                  w.what, w.fence, w.holder, o.fence, o.holder)
    from written w
    left join lateral (
        select x.seq, x.fence, x.holder from fence.opening x
        where x.resource = w.resource and x.seq < w.seq order by x.seq desc limit 1) o on true
    where w.seq >= (select fence.audit_from())
      and (o.fence, o.holder) is distinct from (w.fence, w.holder)
    union all
    select 'S3', w.resource, w.seq, format('%s was written under fence %s after its close %s', w.what, w.fence, c.seq)
    from written w
    cross join lateral (
        select r.closed_seq as seq from fence.resource r
        where r.resource = w.resource and r.fence = w.fence
        union all
        select n.previous_closed_seq from fence.opening n
        where n.resource = w.resource and n.previous_fence = w.fence
        union all
        -- Of a mark that was folded.
        select f.closed_seq from fence.opening f
        where f.resource = w.resource and f.fence = w.fence) c
    where c.seq < w.seq
    union all
    select 'S6', u.request::text, max(u.seq), 'the request id was used more than once'
    from (select e.request, e.seq from credit.entry e
          union all
          select h.request, h.seq from credit.hold h
          union all
          -- What captures a hold is an entry, counted above.
          select h.resolved_by, h.resolved_seq from credit.hold h where h.resolution = 'released') u
    group by u.request having count(*) > 1
$$;
