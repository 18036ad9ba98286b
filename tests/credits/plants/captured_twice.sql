-- S8: a second entry for one hold, of what was left of it.
drop index credit.entry_captures_once;
insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, hold, resource, fence, holder)
select nextval('fence.seq'), gen_random_uuid(), 'charge', e.account, e.counterpart, -1, a.balance - 1, '', e.hold,
       e.resource, e.fence, e.holder
from credit.entry e join credit.account a on a.id = e.account where e.hold is not null;
update credit.account set balance = balance - 1 where name = 'alice';
