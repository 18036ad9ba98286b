-- credit.write_entry: writes one entry, and moves the balance of its account, which the caller has locked and judged.
-- p_account, p_balance and p_held are of its row as it stands; p_freed is what a captured hold had set aside, and p_at
-- the moment at which that was judged (else the entry is of the moment at which it is written).
--
-- outcome: 'applied', or 'taken': the request id was used, by a twin that committed after the caller looked.
-- The entry goes in before the balance moves, so that nothing has changed when it turns out 'taken'.
create or replace function credit.write_entry(
    p_request uuid, p_operation text, p_account bigint, p_balance bigint, p_held bigint,
    p_counterpart text, p_change bigint, p_purpose text,
    p_resource text, p_fence bigint, p_holder uuid,
    p_hold uuid default null, p_refund_of uuid default null, p_freed bigint default 0,
    p_at timestamptz default null)
returns credit.result language plpgsql as $$
declare
    v credit.result;
begin
    perform pg_advisory_xact_lock(credit.request_key(p_request));
    insert into credit.entry as e
        (seq, request, operation, account, counterpart, change, balance_after, purpose, hold, refund_of,
         resource, fence, holder, at)
    select nextval('fence.seq'), p_request, p_operation, p_account, c.id, p_change, p_balance + p_change, p_purpose,
           p_hold, p_refund_of, p_resource, p_fence, p_holder, coalesce(p_at, clock_timestamp())
    from credit.account c
    where c.name = p_counterpart collate "C"
      and not exists (select from credit.hold h where h.request = p_request)
      and not exists (select from credit.hold h where h.resolved_by = p_request)
    on conflict on constraint entry_request_once do nothing
    returning e.seq, e.at, e.balance_after into v.seq, v.at, v.balance_after;
    if not found then
        v.outcome := 'taken';
        return v;
    end if;
    v.held := p_held - p_freed;
    update credit.account x set balance = v.balance_after, held = v.held where x.id = p_account;
    v.outcome := 'applied';
    v.replayed := false;
    return v;
end $$;
