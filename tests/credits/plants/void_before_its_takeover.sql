-- S8: a hold that is said to be void, by an opening that came later.
update credit.hold h
set resolution = 'void', resolved_by = null, resolved_fence = null, resolved_holder = null,
    seq = o.seq - 2, resolved_seq = o.seq - 1, fence = o.previous_fence, holder = o.previous_holder
from fence.opening o where h.resolution = 'released' and o.resource = 'r' and o.fence = 2;
