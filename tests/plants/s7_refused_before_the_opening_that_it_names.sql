-- S7: a refusal that names an opening which came only after it.
update fence.refusal set seq = (select min(o.seq) - 1 from fence.opening o);
