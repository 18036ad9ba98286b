-- The newest 200 refused writes of one resource or (null) of all, newest first.
select to_char(r.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as at, r.protection, r.resource, r.account,
       r.amount, r.reason, r.presented_fence, r.presented_holder, r.observed_fence, r.observed_holder, r.attempts
from (
    select w.first_at as at, 'fence-opened' as protection, w.resource::text, w.account, w.amount, w.reason,
           w.presented_fence, w.presented_holder, w.observed_fence, w.observed_holder, w.attempts
    from credit.refused_write w
    union all
    select s.at, 'fence-on-write', s.resource, s.account, s.amount, 'stale',
           s.presented_fence, null, s.observed_fence, null, 1
    from story.refusal s
) r
where $1::text is null or r.resource = $1
order by r.at desc limit 200
