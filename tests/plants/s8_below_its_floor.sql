-- S8: an account below its floor, by a charge that adds up.
alter table credit.account drop constraint account_above_floor;
with a as (update credit.account set balance = -1 where name = 'alice' returning id, balance),
     was as (select balance from credit.account where name = 'alice')
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
select nextval('fence.seq'), gen_random_uuid(), 'charge', a.id, s.id, -1 - was.balance, -1, '', 's', r.fence, r.holder
from a, was, credit.account s, fence.resource r
where s.name = 'spent' and r.resource = 's';
