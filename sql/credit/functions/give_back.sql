-- credit.give_back: resolves the holds of an account that are void, or have expired at this moment, and frees what they
-- held. The caller has locked the account, and read the clock after that. Returns how many. Whoever locks an account
-- with held credits calls it before it judges anything by them.
--
-- The account's row is the lock of its holds, too: none of them is made or resolved without it. The moment that a hold
-- is judged by is the one that its row keeps: so credit.audit can tell that none expired before its time.
create or replace function credit.give_back(p_account bigint, p_now timestamptz default clock_timestamp())
returns bigint language plpgsql as $$
declare
    v_count bigint;
    v_amount numeric;
begin
    with resolved as (
        update credit.hold h
            set resolution = s.state, resolved_seq = nextval('fence.seq'), resolved_at = p_now
            from (select x.seq, credit.hold_state(x, p_now) as state
                  from credit.hold x
                  where x.account = p_account and x.resolution is null) s
            where h.seq = s.seq and s.state in ('void', 'expired')
            returning h.amount)
    select count(*), sum(r.amount) into v_count, v_amount from resolved r;
    if v_count > 0 then
        update credit.account a set held = a.held - v_amount where a.id = p_account;
    end if;
    return v_count;
end $$;
