select exists (select from inventory.reservation r where r.request = $1)
