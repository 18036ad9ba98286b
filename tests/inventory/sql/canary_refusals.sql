-- The refusals of a canary as the guard's rows are. Canaries keep one for each attempt.
--   $1  the resource
select row_number() over () as seq, r.resource, r.presented_fence, r.presented_holder, 'write' as operation,
       coalesce(r.request, '00000000-0000-0000-0000-000000000000') as request, r.reason, r.observed_fence,
       r.observed_holder, '{}'::jsonb as write, count(*) as attempts, now() as first_at, now() as last_at
from refusal r where r.resource = $1
group by r.resource, r.presented_fence, r.presented_holder, r.request, r.reason, r.observed_fence, r.observed_holder
