-- The layout for a resource that is made of other columns.
select fence.unprotect('inventory.reservation');
alter table inventory.reservation add column named text generated always as (resource) stored;
select fence.protect('inventory.reservation', 'named');
