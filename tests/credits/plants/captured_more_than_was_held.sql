-- S8: a hold that was made smaller than what it was captured by.
alter table credit.hold drop constraint hold_captured_within;
update credit.hold set amount = 1 where resolution = 'captured';
