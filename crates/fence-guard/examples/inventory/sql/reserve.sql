insert into inventory.reservation (request, resource, units) values ($1, $2, $3)
on conflict on constraint reservation_key do nothing
