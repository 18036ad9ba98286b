-- S8: an open hold of an account that does not exist.
insert into credit.hold (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
select nextval('fence.seq'), gen_random_uuid(), -1, 1, '', 'r', r.fence, r.holder, now(), now() + interval '1 h'
from fence.resource r where r.resource = 'r';
