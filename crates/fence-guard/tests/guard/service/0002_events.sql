create table event (resource text, day int) partition by range (day);
create table event_1 partition of event for values from (0) to (10);
-- Again: a migration may say so as often as it likes.
select fence.protect('note', 'resource'), fence.protect('event', 'resource');
