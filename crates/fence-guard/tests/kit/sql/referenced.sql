-- Another table refers to what is protected: Postgres truncates it then only with that one.
create table inventory.shipment (
    request uuid not null,
    constraint shipment_of_reservation foreign key (request) references inventory.reservation
);
