insert into inventory.item (resource, received) values ($1, $2)
on conflict on constraint item_key do update set received = item.received + excluded.received
