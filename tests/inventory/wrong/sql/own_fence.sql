select fence.unprotect('inventory.reservation');
alter table inventory.item add column fence bigint not null default 0;
