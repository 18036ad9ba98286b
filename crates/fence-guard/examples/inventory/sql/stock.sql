-- What was received of an item, and what is reserved.
select i.received, coalesce((select sum(r.units) from inventory.reservation r where r.resource = i.resource), 0)::bigint
from inventory.item i where i.resource = $1
