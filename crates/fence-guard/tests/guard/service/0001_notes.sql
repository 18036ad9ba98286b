-- A service's own migration, run by the service's own role.
create table note (resource text not null, body text not null);
select fence.protect('note', 'resource');
