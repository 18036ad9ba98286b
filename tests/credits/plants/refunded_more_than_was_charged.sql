-- S8: a second refund, which gives back more than is left of the charge.
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, refund_of)
select nextval('fence.seq'), gen_random_uuid(), 'refund', e.account, e.counterpart, 2, a.balance + 2, '', e.refund_of
from credit.entry e join credit.account a on a.id = e.account where e.operation = 'refund';
update credit.account set balance = balance + 2 where name = 'alice';
