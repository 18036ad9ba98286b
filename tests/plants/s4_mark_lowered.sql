-- S4: the mark of s below the fence that was opened.
update fence.resource set fence = 4 where resource = 's';
