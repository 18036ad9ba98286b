-- credit.audit: what the ledger's own rows say about its rules, the guard's included. No row means that
-- they hold. One statement, one snapshot, no lock: it can run on a live system. Where openings were pruned, S3
-- is judged for the entries from fence.audit_from() on: what older ones were written under need not be there.
create or replace function credit.audit()
returns table (rule text, subject text, seq bigint, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select f.rule, f.resource, f.seq, f.finding from fence.audit() f
    union all
    -- S3: each guarded entry was written under the newest opening of its resource, and before its close.
    select 'S3', e.resource, e.seq,
           format('written under fence %s by %s; the newest opening then was %s by %s',
                  e.fence, e.holder, o.fence, o.holder)
    from credit.entry e
    left join lateral (
        select x.seq, x.fence, x.holder from fence.opening x
        where x.resource = e.resource and x.seq < e.seq order by x.seq desc limit 1) o on true
    where e.fence is not null and e.seq >= (select fence.audit_from())
      and (o.fence, o.holder) is distinct from (e.fence, e.holder)
    union all
    select 'S3', e.resource, e.seq, format('written under fence %s after its close %s', e.fence, c.seq)
    from credit.entry e
    cross join lateral (
        select r.closed_seq as seq from fence.resource r
        where r.resource = e.resource and r.fence = e.fence
        union all
        select n.previous_closed_seq from fence.opening n
        where n.resource = e.resource and n.previous_fence = e.fence
        union all
        -- Of a mark that was folded.
        select f.closed_seq from fence.opening f
        where f.resource = e.resource and f.fence = e.fence) c
    where c.seq < e.seq
    union all
    select 'S8', a.name, null, format('the balance is %s, its entries sum up to %s', a.balance, s.sum)
    from credit.account a
    cross join lateral (
        select coalesce(sum(e.change), 0) as sum from credit.entry e where e.account = a.id) s
    where not a.is_system and a.balance <> s.sum
    union all
    select 'S8', a.name, null, format('the balance is %s, below its floor %s', a.balance, a.floor)
    from credit.account a where a.balance < a.floor
    union all
    select 'S8', c.account::text, c.seq,
           format('balance_after is %s, the entries up to here sum up to %s', c.balance_after, c.running)
    from (select e.account, e.seq, e.balance_after,
                 sum(e.change) over (partition by e.account order by e.seq) as running
          from credit.entry e) c
    where c.balance_after <> c.running
    union all
    select 'S8', e.account::text, e.seq, 'the entry does not lie between a user and a system account'
    from credit.entry e
    where not exists (select from credit.account a where a.id = e.account and not a.is_system)
       or not exists (select from credit.account a where a.id = e.counterpart and a.is_system)
$$;
