select count(*) from inventory.reservation r where r.resource = $1
