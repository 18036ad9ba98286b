-- S4: the mark's number is right, its holder is not the one that opened it.
update fence.resource set holder = gen_random_uuid() where resource = 's';
