-- A rule of the table's own, which comes before the guard's.
create function inventory.append_only() returns trigger language plpgsql as $$
begin
    raise exception 'reservations are only ever added';
end $$;
create trigger append_only before update or delete on inventory.reservation
    for each row execute function inventory.append_only();
