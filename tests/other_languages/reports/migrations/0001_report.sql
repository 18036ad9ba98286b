create table report (resource text primary key, state text not null);
select fence.protect('report', 'resource');
