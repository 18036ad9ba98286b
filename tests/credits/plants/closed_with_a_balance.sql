-- S8: an account that was closed with credits in it.
alter table credit.account drop constraint account_closed_is_empty;
update credit.account set closed_at = now() where name = 'bob';
