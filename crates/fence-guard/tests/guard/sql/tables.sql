-- Tables of a service, each protected by the column that names a row's resource, and rows of r and s in each.
create table note (id int primary key, resource text, body text not null default '');

-- Named otherwise, shorter, and in partitions of which the last one is attached when a test says so.
create table event (day int not null, about varchar(40), body text not null default '') partition by range (day);
create table event_1 partition of event for values from (0) to (10);

-- Children in the old style.
create table thing (resource text);
create table thing_child () inherits (thing);

-- The resource is made of a number; a generated column has its value only after the BEFORE triggers.
create table account (id int primary key, resource text generated always as ('user:' || id) stored, seen int);

-- What a delete or an update of its parent takes along.
create table dataset (name text primary key);
create table sample (
    resource text constraint sample_of_dataset references dataset on delete cascade on update cascade,
    number int);

insert into note values (1, 'r'), (2, 's');
insert into event values (1, 'r'), (1, 's');
insert into thing values ('r');
insert into thing_child values ('s');
insert into account values (1), (2);
insert into dataset values ('r'), ('s');
insert into sample values ('r', 1), ('s', 1);

select fence.protect('note', 'resource'), fence.protect('event', 'about'), fence.protect('thing', 'resource'),
       fence.protect('account', 'resource'), fence.protect('sample', 'resource');
