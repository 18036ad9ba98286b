-- The refused writes: what was to be done, why it was not, and how many of them there are.
select operation, reason, count(*) from fence.refusals(null, 0, null) group by 1, 2 order by 1, 2
