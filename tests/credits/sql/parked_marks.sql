-- The marks of the openings that parked.sql's holds were made under, each closed.
insert into fence.resource
    (resource, fence, holder, opened_seq, opened_at, valid_until, minted, closed_seq, closed_at, closed_lease_left_ms)
select h.resource, h.fence, h.holder, h.seq - 1, h.at, h.at, false, nextval('fence.seq'), h.at, 0
from credit.hold h where h.resource like 'parked:%';
analyze fence.resource;
