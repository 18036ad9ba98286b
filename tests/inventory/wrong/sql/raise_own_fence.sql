update inventory.item i set fence = $2 where i.resource = $1 and i.fence <= $2
