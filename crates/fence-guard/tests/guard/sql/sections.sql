-- Sections of user:N:report, N from 1 to 100, of one minute from 2026-11-01 on; section N was held for N per cent of
-- the minute that it meant to hold, and its mark was folded. One of job:9 took ten times its minute, and was closed.
insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover,
                           folded_seq, folded_at, closed_seq, closed_at, closed_lease_left_ms)
select 3 * s.n, s.name, 1, gen_random_uuid(), t.at, t.at + interval '1 minute', false, false,
       3 * s.n + 2, t.at + interval '1 day', 3 * s.n + 1, t.at + s.held * interval '1 minute', (60000 * (1 - s.held))::bigint
from (select n, format('user:%s:report', n) as name, n / 100.0 as held from generate_series(1, 100) n
      union all select 101, 'job:9', 10) s
cross join lateral (select timestamptz '2026-11-01 00:00:00Z' + s.n * interval '1 minute' as at) t
