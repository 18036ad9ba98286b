-- S8: an entry that moves credits from one user account to another.
update credit.entry e set counterpart = (select a.id from credit.account a where a.name = 'bob')
where e.seq = (select max(x.seq) from credit.entry x);
