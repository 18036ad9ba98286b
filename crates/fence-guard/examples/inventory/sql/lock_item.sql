-- Reservations of one item wait for each other, so that two of them never take the same last unit.
select from inventory.item i where i.resource = $1 for update
