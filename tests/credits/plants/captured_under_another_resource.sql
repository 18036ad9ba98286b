-- S8: an entry under a resource that is not its hold's, and that the holder has open as well.
insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover)
select o.seq - 1, 's', o.fence, o.holder, o.at, o.valid_until, false, false
from fence.opening o where o.resource = 'r' and o.fence = 2;
insert into fence.resource (resource, fence, holder, opened_seq, opened_at, valid_until, minted)
select o.resource, o.fence, o.holder, o.seq, o.at, o.valid_until, false from fence.opening o where o.resource = 's';
update credit.entry set resource = 's' where hold is not null;
