-- S4: a resource that was opened, and has no mark any more.
delete from fence.resource where resource = 's';
