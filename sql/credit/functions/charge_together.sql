-- credit.charge_together: many charges, of whatever resources and accounts, in one call and one commit. For a program
-- that has several of them at hand: it saves the round trips and the commits.
--
-- Answers a row for each charge that is applied: n is its place among those that were sent, from 1. A charge that has no
-- row has done nothing here: send it alone, to credit.charge, which says why, and records what the guard refuses. It
-- waits for nobody, so that no charge is held up by another's resource or account: these go alone
--   * what is locked just now: the resource by an opening, the account or the request id by another call
--   * what the guard refuses, and what the account does not allow or cover
--   * what bears a request id that was used for something else, or for an earlier one of these
--   * what comes, for an account, after one that goes alone: charges of one account are applied in their order
--
-- Every array has one member for each charge, 1 to 256 of them. On its own in its transaction. Raises ZF001 outside READ
-- COMMITTED, ZF002 when the transaction has written, locked or admitted, ZF004 on bad arguments.
create or replace function credit.charge_together(
    p_resources text[], p_fences bigint[], p_holders uuid[], p_requests uuid[],
    p_accounts text[], p_amounts bigint[], p_purposes text[], p_call text default 'charge_together')
returns table (n bigint, replayed boolean, seq bigint, at timestamptz, balance_after bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_charges credit.numbered_charge[];
    v_replayed bigint[];
begin
    perform fence.arm('charge_together', p_call, interval '30 seconds');
    if pg_current_xact_id_if_assigned() is not null or fence.admitted() is not null then
        raise exception using errcode = 'ZF002',
            message = 'credit.charge_together is on its own in its transaction';
    end if;
    v_charges := credit.numbered(p_resources, p_fences, p_holders, p_requests, p_accounts, p_amounts, p_purposes);

    for n, replayed, seq, at, balance_after in
        select i.n, true, e.seq, e.at, e.balance_after
        from unnest(v_charges) i
        join credit.entry e on e.request = i.request
        join credit.account a on a.id = e.account
        where (e.operation, a.name, e.change, e.purpose, e.resource)
            = ('charge', i.account, -i.amount, i.purpose, i.resource) and e.hold is null
    loop
        v_replayed := v_replayed || n;
        return next;
    end loop;

    v_charges := array(select i from unnest(v_charges) i where i.n <> all (coalesce(v_replayed, '{}')) order by i.n);
    if cardinality(v_charges) > 0 then
        -- Each step keeps what it can lock without waiting, judged by what the lock returned.
        return query select * from credit.post_together(v_charges, credit.admitted_of(credit.unused_of(v_charges)));
    end if;
end $$;
