-- S8: an entry for a hold, for something else than was held for.
update credit.entry set purpose = 'another' where hold is not null;
