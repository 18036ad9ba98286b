-- S8: more is held than the account has.
alter table credit.account drop constraint account_above_floor;
insert into credit.hold (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
select nextval('fence.seq'), gen_random_uuid(), a.id, 1, '', 'r', r.fence, r.holder, now(), now() + interval '1 h'
from fence.resource r, credit.account a where r.resource = 'r' and a.name = 'empty';
update credit.account set held = 1 where name = 'empty';
