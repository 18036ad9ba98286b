insert into inventory.reservation (request, resource, units) values (gen_random_uuid(), $1, 1)
