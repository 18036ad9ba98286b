-- S7: refused as not open, against a mark and a holder that are in no opening.
insert into fence.refusal
    (resource, presented_fence, presented_holder, operation, request, reason, observed_fence, observed_holder, write)
values ('s', 9, gen_random_uuid(), 'charge', gen_random_uuid(), 'not open', 5, gen_random_uuid(), '{}');
