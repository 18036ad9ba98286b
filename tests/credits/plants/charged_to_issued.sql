-- S8: a charge whose credits went to where grants come from.
update credit.entry set counterpart = (select id from credit.account where name = 'issued')
where operation = 'charge' and hold is null;
