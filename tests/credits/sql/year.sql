-- A year of as many entries as history.rows says. Half of them are of the account hot. Numbers and times grow together;
-- a thousand accounts and resources, a holder for each resource.
--
-- The indexes that only serve readers are made anew when all rows are in, from their own definitions: inserting into each
-- of them, row by row, takes most of the time that ten million entries take. What keeps the rows sound stays in place:
-- primary keys, constraints, triggers.
set local maintenance_work_mem = '1GB';
create temporary table reader_index on commit drop as
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
from pg_index i
where i.indrelid in ('credit.entry'::regclass, 'credit.hold'::regclass, 'fence.refusal'::regclass)
  and not exists (select from pg_constraint c where c.conindid = i.indexrelid);
do $$
declare
    v_name text;
begin
    for v_name in select x.name from reader_index x loop
        execute 'drop index ' || v_name;
    end loop;
end $$;

insert into credit.account (name, balance) select 'user:' || n, 1000000000 from generate_series(0, 999) n;
insert into credit.account (name, balance) values ('hot', 1000000000);

create temporary view year as
select n, timestamptz '2026-01-01' + n * (interval '365 days' / current_setting('history.rows')::int) as at,
       case when n % 2 = 0 then 'hot' else 'user:' || n / 2 % 1000 end as account,
       'resource:' || n % 997 as resource, 1 + n / 997 as fence,
       ('00000000-0000-4000-8000-' || lpad((n % 997)::text, 12, '0'))::uuid as holder
from generate_series(1, current_setting('history.rows')::int) n;

insert into credit.entry
    (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder, at)
select y.n, gen_random_uuid(), 'charge', a.id, (select s.id from credit.account s where s.name = 'spent'), -1, 1,
       'query', y.resource, y.fence, y.holder, y.at
from year y join credit.account a on a.name = y.account order by y.n;

-- Of the last 60000 numbers every eighth hold is not resolved: what is open is recent. Of the others most were captured.
insert into credit.hold
    (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at,
     resolution, resolved_seq, resolved_at, resolved_by, resolved_fence, resolved_holder, captured)
select y.n, gen_random_uuid(), a.id, 1, 'query', y.resource, y.fence, y.holder, y.at, y.at + interval '10 years',
       r.resolution, case when r.resolution is not null then y.n + 1 end, case when r.resolution is not null then y.at end,
       r.by, case when r.by is not null then y.fence end, case when r.by is not null then y.holder end,
       case when r.resolution = 'captured' then 1 end
from year y
join credit.account a on a.name = y.account
cross join lateral (
    select x.resolution,
           case when x.resolution in ('captured', 'released') then gen_random_uuid() end as by
    from (select (array[null, 'captured', 'captured', 'released', 'expired', 'void', 'captured', 'captured'])
                 [greatest(1 + y.n / 4 % 8,
                           case when y.n <= current_setting('history.rows')::int - 60000 then 2 end)] as resolution) x) r
where y.n % 4 < 1 or y.n % 8 = 3 order by y.n;

insert into fence.refusal
    (seq, resource, presented_fence, presented_holder, operation, request, reason, observed_fence, observed_holder,
     write, first_at, last_at)
select y.n, y.resource, y.fence, y.holder, 'charge', gen_random_uuid(),
       case y.n / 4 % 2 when 0 then 'stale' else 'closed' end, y.fence + 1 - y.n / 4 % 2, y.holder,
       jsonb_build_object('account', y.account, 'amount', 1, 'purpose', 'query'), y.at, y.at
from year y where y.n % 4 < 1 or y.n % 8 = 3 order by y.n;

-- What came after it: as many open holds as a quarter of it, a fifth of them of the account hot. Of every thousandth the
-- opening was taken over; every thousandth has expired. Nobody has given them back.
insert into credit.hold (seq, request, account, amount, purpose, resource, fence, holder, at, expires_at)
select y.n + 2 * current_setting('history.rows')::int, gen_random_uuid(), a.id, 1, 'query', 'open:' || y.n, 1, y.holder,
       case y.n % 4000 when 12 then timestamptz '2020-01-01' else y.at + interval '1 year' end,
       case y.n % 4000 when 12 then timestamptz '2020-01-02' else y.at + interval '10 years' end
from year y join credit.account a on a.name = case when y.n % 20 = 4 then 'hot' else 'user:' || y.n / 8 % 1000 end
where y.n % 4 = 0 order by y.n;

insert into fence.opening
    (seq, resource, fence, holder, at, valid_until, minted, takeover, previous_seq, previous_fence, previous_holder,
     previous_valid_until)
select y.n + 4 * current_setting('history.rows')::int, 'open:' || y.n, 2, gen_random_uuid(), y.at, y.at, false, true,
       y.n, 1, y.holder, y.at
from year y where y.n % 4000 = 4;

select setval('fence.seq', 6 * current_setting('history.rows')::int);
do $$
declare
    v_definition text;
begin
    for v_definition in select x.definition from reader_index x loop
        execute v_definition;
    end loop;
end $$;
-- What autovacuum would do in the course of a year.
analyze credit.account;
analyze credit.entry;
analyze credit.hold;
analyze fence.refusal;
analyze fence.opening;
