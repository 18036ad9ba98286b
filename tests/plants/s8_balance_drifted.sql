-- S8: a balance that is not the sum of the account's entries.
update credit.account set balance = balance + 1 where name = 'alice';
