-- S4: a mark that nobody has opened.
update fence.resource set fence = 9 where resource = 's';
