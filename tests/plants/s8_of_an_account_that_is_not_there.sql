-- S8: an entry whose other side is an account that does not exist.
update credit.entry e set counterpart = -1
where e.seq = (select max(x.seq) from credit.entry x);
