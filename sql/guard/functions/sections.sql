-- fence.sections: openings from p_since on until before p_until, as sections: how long each was held, of how long it was
-- to be, and whether it outlived its lease. For fence.stats.
--
-- held_ratio  until it was closed, or, of one that never was, until the last write with which it came after it had been
--             overtaken, as a part of how long its holder meant to hold; null where neither is known: it is open, or was
--             given up
-- overrun     it was closed after its lease (by the holder's clock) or its time (by the database's) was over, or it was never
--             closed, and came with a write after it had been overtaken. Who closed in time and sends a write again later is
--             refused as stale, too, and has outlived nothing
create or replace function fence.sections(p_since timestamptz, p_until timestamptz)
returns table (resource text, at timestamptz, takeover boolean, is_open boolean, overrun boolean, held_ratio float8)
language sql stable as $$
    select o.resource, o.at, o.takeover, e.closed_at is null and n.fence is null,
           e.closed_lease_left_ms < 0 or e.closed_at > o.valid_until or l.last_at is not null,
           extract(epoch from coalesce(e.closed_at, l.last_at) - o.at)
               / nullif(extract(epoch from o.valid_until - o.at), 0)
    from fence.opening o
    left join lateral (
        select x.* from fence.opening x
        where x.resource = o.resource and x.fence > o.fence order by x.fence limit 1) n on true
    left join fence.resource r on r.resource = o.resource and r.opened_seq = o.seq
    cross join lateral (
        select coalesce(o.closed_at, case when n.previous_seq = o.seq then n.previous_closed_at end, r.closed_at),
               coalesce(o.closed_lease_left_ms,
                        case when n.previous_seq = o.seq then n.previous_closed_lease_left_ms end,
                        r.closed_lease_left_ms)) e (closed_at, closed_lease_left_ms)
    left join lateral (
        select max(f.last_at) as last_at from fence.refusal f
        where e.closed_at is null and f.resource = o.resource and f.presented_fence = o.fence and f.presented_holder = o.holder
          and f.reason = 'stale') l on true
    where o.seq >= fence.number_from('fence.opening', 'at', p_since) and o.at >= p_since and o.at < p_until
$$;
