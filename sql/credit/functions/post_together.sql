-- credit.post_together: locks the accounts of admitted charges, save those that somebody else has locked, and writes an
-- entry for each charge that its account covers, in their order, up to the first of the account that has to go alone.
--
-- charges   all that are not answered yet: one that is not admitted parts its account's order, too
-- admitted  those of them that are
create or replace function credit.post_together(
    p_charges credit.numbered_charge[], p_admitted credit.numbered_charge[])
returns table (n bigint, replayed boolean, seq bigint, at timestamptz, balance_after bigint)
language plpgsql as $$
declare
    v_accounts credit.account[];
    v_free uuid[];
    v_fit bigint[];
begin
    v_accounts := credit.accounts_of(p_admitted);
    v_free := array(
        select i.request from unnest(p_admitted) i
        where i.account in (select a.name from unnest(v_accounts) a)
          and pg_try_advisory_xact_lock(credit.request_key(i.request)));
    -- Looked at again behind the lock of the id: a twin may have committed meanwhile.
    v_fit := array(
        select i.n from unnest(p_admitted) i
        where i.request = any (v_free) and not credit.is_hold_request(i.request)
          and not exists (select from credit.entry e where e.request = i.request));

    return query
    with fit as (
        -- taken: by this charge and those before it, of this account. unbroken: none of those goes alone.
        select i.*, a.id, a.balance, a.balance::numeric - a.held - a.floor as room,
               sum(i.amount) over w as taken, bool_and(i.n = any (v_fit)) over w as unbroken
        from unnest(p_charges) i
        join unnest(v_accounts) a on a.name = i.account
        window w as (partition by i.account order by i.n)
    ), written as (
        insert into credit.entry as e
            (seq, request, operation, account, counterpart, change, balance_after, purpose, resource, fence, holder)
        select nextval('fence.seq'), f.request, 'charge', f.id,
               (select c.id from credit.account c where c.name = 'spent'),
               -f.amount, f.balance - f.taken, f.purpose, f.resource, f.fence, f.holder
        from (select * from fit where fit.unbroken and fit.taken <= fit.room order by fit.n) f
        returning e.request, e.seq, e.at, e.account, e.change, e.balance_after
    ), moved as (
        update credit.account a set balance = a.balance + s.change
        from (select w.account, sum(w.change) as change from written w group by w.account) s
        where a.id = s.account
    )
    select i.n, false, w.seq, w.at, w.balance_after
    from written w join unnest(p_charges) i on i.request = w.request and i.n = any (v_fit);
end $$;
