-- S3: a charge under the newest fence of s, by a holder that did not open it.
with a as (update credit.account set balance = balance - 1 where name = 'alice' returning id, balance)
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
select nextval('fence.seq'), gen_random_uuid(), 'charge', a.id, s.id, -1, a.balance, '', 's', 5, gen_random_uuid()
from a, credit.account s
where s.name = 'spent';
