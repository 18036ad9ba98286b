-- S8: a refund of credits that nobody had spent.
update credit.entry set counterpart = (select id from credit.account where name = 'issued')
where operation = 'refund';
