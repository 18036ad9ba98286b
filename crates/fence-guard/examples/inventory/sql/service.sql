-- What the installer gives to the service: a schema of its own, and the guard.
create schema inventory authorization inventory;
select fence.grant_to('inventory');
