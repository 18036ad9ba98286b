-- S3: a hold that was made under an opening that had been replaced by then. It is void, and was never open.
insert into credit.hold (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
select nextval('fence.seq'), gen_random_uuid(), a.id, 1, '', 'r', o.fence, o.holder, now(), now() + interval '1 h'
from credit.account a, fence.opening o where a.name = 'alice' and o.resource = 'r' and o.fence = 1;
update credit.account set held = held + 1 where name = 'alice';
