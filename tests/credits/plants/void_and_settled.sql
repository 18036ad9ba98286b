-- S8: an open hold of the first opening, which the second one took over, and nobody will look at it.
update credit.hold h set seq = o.seq - 1, fence = o.previous_fence, holder = o.previous_holder
from fence.opening o where h.resolution is null and o.resource = 'r' and o.fence = 2;
update credit.account set settled_seq = (select seq from fence.opening where resource = 'r' and fence = 2) where name = 'alice';
