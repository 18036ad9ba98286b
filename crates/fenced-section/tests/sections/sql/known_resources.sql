-- Resources "r1" … that the guard knows and Redis does not: closed, under fences of every size. Written by
-- hand, because opening a million of them takes minutes; every rule of the tables still holds.
with mark as (
    select 'r' || i as resource, 1 + (i * 7919::bigint) % 100000 as fence, gen_random_uuid() as holder,
           nextval('fence.seq') as seq
    from generate_series(1, $1) i
), opening as (
    insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover)
    select m.seq, m.resource, m.fence, m.holder, now(), now(), false, false from mark m
)
insert into fence.resource
    (resource, fence, holder, opened_seq, opened_at, valid_until, minted, closed_seq, closed_at,
     closed_lease_left_ms)
select m.resource, m.fence, m.holder, m.seq, now(), now(), false, nextval('fence.seq') + $1, now(), 1
from mark m
