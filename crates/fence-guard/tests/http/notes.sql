-- The table of the tests' service, guarded.
create table note (
    resource text not null,
    note text not null
);
select fence.protect('note', 'resource');
