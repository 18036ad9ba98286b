-- credit.audit_ended: S8 of how holds ended: none was captured or released after it was void, or had expired; none
-- expired before its time; and none is void whose opening was not taken over.
--
-- Both are exact. Void is a matter of numbers: the guard lets nobody take over while a capture is in flight. Expired is
-- judged by one look at the clock, which the row keeps (resolved_at). What is said to be void is looked at for holds
-- that were made from fence.audit_from() on: what took an older one's opening over need not be there.
create or replace function credit.audit_ended()
returns table (rule text, subject text, seq bigint, finding text) language sql stable as $$
    select 'S8', h.request::text, h.resolved_seq,
           format('the hold was %s, and void since opening %s under fence %s', h.resolution, o.seq, o.fence)
    from credit.hold h
    join fence.opening o on o.resource = h.resource and o.previous_fence = h.fence and o.previous_holder = h.holder
    where o.takeover and o.seq < h.resolved_seq and h.resolution in ('captured', 'released')
    union all
    select 'S8', h.request::text, h.resolved_seq,
           format('the hold was %s at %s, and had expired at %s', h.resolution, h.resolved_at, h.expires_at)
    from credit.hold h
    where h.resolution in ('captured', 'released') and h.resolved_at >= h.expires_at
    union all
    select 'S8', h.request::text, h.resolved_seq,
           format('the hold expired at %s, before its time %s', h.resolved_at, h.expires_at)
    from credit.hold h
    where h.resolution = 'expired' and h.resolved_at < h.expires_at
    union all
    select 'S8', h.request::text, h.resolved_seq,
           format('the hold is void, and no opening had taken over fence %s of %s', h.fence, h.holder)
    from credit.hold h
    where h.resolution = 'void' and h.seq >= (select fence.audit_from())
      and not exists (
        select from fence.opening o
        where o.resource = h.resource and o.previous_fence = h.fence and o.previous_holder = h.holder
          and o.takeover and o.seq < h.resolved_seq)
$$;
