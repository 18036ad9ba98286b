-- As many refused writes as a holder that loops with new request ids leaves behind.
insert into fence.refusal (resource, presented_fence, presented_holder, operation, request, reason, observed_fence,
                           observed_holder, write)
select r.resource, r.presented_fence, gen_random_uuid(), r.operation, gen_random_uuid(), r.reason, r.observed_fence,
       r.observed_holder, r.write
from fence.refusal r, generate_series(1, 10000);
