-- S8: more is held than all holds.
update credit.account set held = held + 1 where name = 'alice';
