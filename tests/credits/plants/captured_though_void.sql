-- S8: a capture of what was held under the first opening, which the second one took over.
update credit.hold h set seq = o.seq - 1, fence = o.previous_fence, holder = o.previous_holder
from fence.opening o where h.resolution = 'captured' and o.resource = 'r' and o.fence = 2;
