-- Holds of alice's, as many as holds.rows says, each parked under a resource of its own until next year. Analysed, as
-- autovacuum would have done by then: without its figures Postgres 17 and 18 go by the index of all open holds.
insert into credit.hold (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
select nextval('fence.seq'), gen_random_uuid(), a.id, 1, 'query', 'parked:' || n, 1, gen_random_uuid(),
       clock_timestamp(), clock_timestamp() + interval '365 days'
from credit.account a, generate_series(1, current_setting('holds.rows')::int) n where a.name = 'alice';
update credit.account set balance = balance + current_setting('holds.rows')::int,
                          held = held + current_setting('holds.rows')::int where name = 'alice';
analyze credit.hold;
