-- S8: a grant of credits that were spent.
update credit.entry set counterpart = (select id from credit.account where name = 'spent')
where operation = 'grant' and account = (select id from credit.account where name = 'bob');
