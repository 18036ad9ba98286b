-- The service's own tables, in a schema that its role owns.

-- What is on the shelves. Goods arrive without a decision, so nothing fences them.
create table inventory.item (
    resource text   not null,
    received bigint not null,
    constraint item_key primary key (resource),
    constraint item_received_counts check (received >= 0)
);

-- Who reserved how much of it. A reservation follows from what was read, so it is written under an opening.
create table inventory.reservation (
    request  uuid   not null,
    resource text   not null,
    units    bigint not null,
    constraint reservation_key primary key (request),
    constraint reservation_of_item foreign key (resource) references inventory.item,
    constraint reservation_has_units check (units > 0)
);
create index reservation_by_resource on inventory.reservation (resource);

select fence.protect('inventory.reservation', 'resource');
