-- The table of service B, and the guard under it.
create table report (
    resource text primary key,
    state text not null
);
select fence.protect('report', 'resource');
