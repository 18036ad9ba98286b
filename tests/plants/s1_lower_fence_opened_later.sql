-- S1: an opening whose fence is below that of an earlier opening of its resource.
insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover)
values (nextval('fence.seq'), 's', 1, gen_random_uuid(), now(), now(), false, false);
