insert into inventory.reservation (request, resource, units) values ($1, $2, 1)
