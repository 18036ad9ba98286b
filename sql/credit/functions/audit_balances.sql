-- credit.audit_balances: S8: every entry lies between a user account and the system account of its operation and
-- continues the one before it, and a balance is the sum of its account's entries, above the floor.
create or replace function credit.audit_balances()
returns table (rule text, subject text, seq bigint, finding text) language sql stable as $$
    with chain as (
        select e.account, e.seq, e.balance_after, e.change, e.operation, e.counterpart,
               sum(e.change) over (partition by e.account order by e.seq) as running
        from credit.entry e
    ), broken as (
        -- The first of each account: what comes after it rests on it.
        select distinct on (c.account) c.account, c.seq, c.balance_after, c.running
        from chain c where c.balance_after <> c.running order by c.account, c.seq
    ), summed as (
        select e.account, sum(e.change) as sum, max(e.seq) as seq from credit.entry e group by e.account
    )
    select 'S8', coalesce(a.name, b.account::text), b.seq,
           format('balance_after is %s, the entries up to here sum up to %s', b.balance_after, b.running)
    from broken b left join credit.account a on a.id = b.account
    union all
    select 'S8', a.name, s.seq, format('the balance is %s, its entries sum up to %s', a.balance, coalesce(s.sum, 0))
    from credit.account a
    left join summed s on s.account = a.id
    where not a.is_system and a.balance <> coalesce(s.sum, 0)
    union all
    select 'S8', a.name, null, format('the balance is %s, %s of it held, below its floor %s', a.balance, a.held, a.floor)
    from credit.account a where a.balance::numeric - a.held < a.floor
    union all
    select 'S8', a.name, null, format('it is closed, and its balance is %s, %s of it held', a.balance, a.held)
    from credit.account a where a.closed_at is not null and (a.balance <> 0 or a.held <> 0)
    union all
    select 'S8', e.account::text, e.seq, 'the entry does not lie between a user and a system account'
    from credit.entry e
    left join credit.account a on a.id = e.account and not a.is_system
    left join credit.account c on c.id = e.counterpart and c.is_system
    where a.id is null or c.id is null
    union all
    select 'S8', e.account::text, e.seq, format('a %s lies between a user account and "%s"', e.operation, c.name)
    from credit.entry e
    join credit.account c on c.id = e.counterpart and c.is_system
    where c.name <> case e.operation when 'grant' then 'issued' else 'spent' end
$$;
