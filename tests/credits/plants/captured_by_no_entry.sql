-- S8: a hold that says that it was captured, by an entry that names no hold.
update credit.entry set hold = null where hold is not null;
