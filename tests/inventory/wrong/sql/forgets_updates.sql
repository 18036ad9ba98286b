select fence.unprotect('inventory.reservation');
alter table inventory.reservation add column named text generated always as (resource) stored;
select fence.protect('inventory.reservation', 'named');
drop trigger fence_guards_rows on inventory.reservation;
create trigger forgets_updates after insert or delete on inventory.reservation
    for each row execute function fence.check_row('named');
