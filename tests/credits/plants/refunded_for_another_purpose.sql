-- S8: a refund that is not for what was charged.
update credit.entry set purpose = 'another' where operation = 'refund';
