-- S8: an entry whose balance_after is not the sum up to it.
update credit.entry e set balance_after = balance_after + 1
where e.seq = (select max(x.seq) from credit.entry x);
