-- S3: a charge under fence 1 of r, after fence 2 was opened. Accounts and sums are right.
with a as (update credit.account set balance = balance - 1 where name = 'alice' returning id, balance)
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
select nextval('fence.seq'), gen_random_uuid(), 'charge', a.id, s.id, -1, a.balance, '', 'r', o.fence, o.holder
from a, credit.account s, fence.opening o
where s.name = 'spent' and o.resource = 'r' and o.fence = 1;
