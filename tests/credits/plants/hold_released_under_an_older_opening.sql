-- S3: a release by a holder that had been overtaken.
update credit.hold h set resolved_fence = o.fence, resolved_holder = o.holder
from fence.opening o where h.resolution = 'released' and o.resource = 'r' and o.fence = 1;
