-- S8: an entry for a hold that had been released.
update credit.entry set hold = (select request from credit.hold where resolution = 'released')
where operation = 'charge' and hold is null;
