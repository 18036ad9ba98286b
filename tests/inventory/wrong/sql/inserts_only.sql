drop trigger fence_guards_rows on inventory.reservation;
drop trigger fence_guards_truncate on inventory.reservation;
create trigger guards_inserts after insert on inventory.reservation
    for each row execute function fence.check_row('resource');
