-- S7: a refusal that is in itself consistent, but its mark was never opened.
insert into fence.refusal
    (resource, presented_fence, presented_holder, operation, request, reason, observed_fence, observed_holder, write)
values ('s', 5, gen_random_uuid(), 'charge', gen_random_uuid(), 'stale', 6, gen_random_uuid(), '{}');
