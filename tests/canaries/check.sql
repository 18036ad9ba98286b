-- The checker: reads the rows of one resource, never a guard's word, and names each rule that they break.
--   $1  the resource

-- S1: the fences of the openings grow.
select 'S1' as rule, format('fence %s was opened after fence %s', o.fence, o.before) as finding
from (select x.fence, lag(x.fence) over (order by x.seq) as before
      from opening x where x.resource = $1) o
where o.fence <= o.before
union all
-- S2: what the holder of a fence found when its open had returned is all that there ever is.
select 'S2', format('fence %s found %s entries of older fences, and there are %s', r.fence, r.seen, e.count)
from reading r
cross join lateral (select count(*) from entry x where x.resource = r.resource and x.fence < r.fence) e
where r.resource = $1 and e.count > r.seen
union all
-- S3: an entry is under a fence that was opened. (Whether it was the newest is S2, whose it was is S5.)
select 'S3', format('written under fence %s, which nobody had opened', e.fence)
from entry e
where e.resource = $1
  and not exists (select from opening o where o.resource = e.resource and o.fence = e.fence)
union all
-- S5: one number, one holder.
select 'S5', format('%s holders wrote under fence %s', count(distinct e.holder), e.fence)
from entry e where e.resource = $1
group by e.fence having count(distinct e.holder) > 1
union all
-- S7: a refusal says the truth.
select 'S7', format('refused as "%s": fence %s against %s', r.reason, r.presented_fence, r.observed_fence)
from refusal r
where r.resource = $1 and not case r.reason
    when 'stale' then r.observed_fence > r.presented_fence
    when 'not open' then r.observed_fence < r.presented_fence
    when 'conflict' then r.observed_fence = r.presented_fence and r.observed_holder <> r.presented_holder
    else false end
union all
-- Liveness: the rightful holder could write.
select 'liveness', format('%s of %s writes of the rightful holder came to nothing',
                          count(*) - count(e.request), count(*))
from due d left join entry e on e.resource = d.resource and e.request = d.request
where d.resource = $1
having count(*) > count(e.request)
