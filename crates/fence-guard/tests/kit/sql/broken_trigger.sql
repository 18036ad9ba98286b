-- A mistake of the service, which comes before the guard and says nothing of it.
create function inventory.broken() returns trigger language plpgsql as $$
begin
    new.units := new.units / 0;
    return new;
end $$;
create trigger broken before update on inventory.reservation
    for each row execute function inventory.broken();
