-- A table of a host service, which shares its database with the guard.
create table note (id bigint primary key, text text not null);
