-- credit.audit_holds: S8 of what was set aside: what is held is the sum of the holds that are not resolved; a captured
-- hold has one entry, of its account, purpose and permit and of what was captured, at most what was held, and no other
-- hold has any; no charge was refunded by more than it took, or for another purpose; and no void hold lies where its account
-- looks for none any more.
create or replace function credit.audit_holds()
returns table (rule text, subject text, seq bigint, finding text) language sql stable as $$
    with unresolved as (
        select h.account, sum(h.amount) as sum, max(h.seq) as seq
        from credit.hold h where h.resolution is null group by h.account
    ), refunded as (
        select r.refund_of, r.account, r.purpose, sum(r.change) as sum, max(r.seq) as seq
        from credit.entry r where r.refund_of is not null group by r.refund_of, r.account, r.purpose
    )
    select 'S8', coalesce(a.name, u.account::text), u.seq,
           format('%s is held, its unresolved holds sum up to %s', a.held, coalesce(u.sum, 0))
    from credit.account a
    full join unresolved u on u.account = a.id
    where coalesce(a.held, 0) <> coalesce(u.sum, 0)
    union all
    select 'S8', coalesce(h.request, e.hold)::text, coalesce(e.seq, h.resolved_seq),
           format('the hold is of %s on account %s for "%s" under %s, %s (%s) with fence %s by %s; '
                  'its entry moves %s on account %s for "%s" under %s with fence %s by %s',
                  h.amount, h.account, h.purpose, h.resource, coalesce(h.resolution, 'not resolved'), h.captured,
                  h.resolved_fence, h.resolved_holder, e.change, e.account, e.purpose, e.resource, e.fence, e.holder)
    from (select x.* from credit.hold x where x.resolution = 'captured') c
    full join (select x.* from credit.entry x where x.hold is not null) e on e.hold = c.request
    left join credit.hold h on h.request = coalesce(c.request, e.hold)
    where (c.account, c.captured, c.resolved_by, c.purpose, c.resource, c.resolved_fence, c.resolved_holder)
          is distinct from (e.account, -e.change, e.request, e.purpose, e.resource, e.fence, e.holder)
       or c.captured > c.amount
    union all
    select 'S8', r.refund_of::text, r.seq,
           format('%s was refunded for "%s" of a charge of %s for "%s"',
                  r.sum, r.purpose, coalesce(-c.change, 0), c.purpose)
    from refunded r
    left join credit.entry c on c.request = r.refund_of and c.operation = 'charge' and c.account = r.account
                                and c.purpose = r.purpose
    where r.sum > coalesce(-c.change, 0)
    union all
    select 'S8', h.request::text, h.seq,
           format('the hold is void since opening %s, and its account has settled all up to %s', o.seq, a.settled_seq)
    from credit.hold h
    join credit.account a on a.id = h.account and h.seq <= a.settled_seq
    join fence.opening o on o.resource = h.resource and o.previous_fence = h.fence and o.previous_holder = h.holder
    where o.takeover and h.resolution is null
$$;
