-- S8: an entry for a hold that was never made.
update credit.entry set hold = gen_random_uuid() where operation = 'charge' and hold is null;
