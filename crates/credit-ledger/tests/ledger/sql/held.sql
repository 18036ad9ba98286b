-- r is open under fence 5. Under it, two credits of alice's are held, and two were charged. Sent as one text: each call
-- comes first in a transaction of its own.
begin;
select fence.open('r', 5, '00000000-0000-4000-8000-000000000005', '1 h');
commit and chain;
select credit.hold('r', 5, '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-0000000000bb',
                   'alice', 2, 'held', '1 h');
commit and chain;
select credit.charge('r', 5, '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-0000000000cc',
                     'alice', 2, 'charged');
commit;
