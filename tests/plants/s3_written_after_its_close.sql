-- S3: a charge under the newest opening of r, after that was closed.
with a as (update credit.account set balance = balance - 1 where name = 'alice' returning id, balance)
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
select nextval('fence.seq'), gen_random_uuid(), 'charge', a.id, s.id, -1, a.balance, '', 'r', r.fence, r.holder
from a, credit.account s, fence.resource r
where s.name = 'spent' and r.resource = 'r' and r.closed_seq is not null;
