-- credit.end_holds: writes down that these holds of an account are void or expired, and frees what they held. Returns
-- how many. The caller has locked the account, and judged the holds at this moment, which they keep: so credit.audit
-- can tell that none expired before its time.
--
-- The account's row is the lock of its holds, too: none of them is made or resolved without it.
create or replace function credit.end_holds(p_account bigint, p_seqs bigint[], p_state text, p_now timestamptz)
returns bigint language plpgsql as $$
declare
    v_count bigint;
    v_amount numeric;
begin
    if cardinality(p_seqs) = 0 then
        return 0;
    end if;
    with ended as (
        update credit.hold h
            set resolution = p_state, resolved_seq = nextval('fence.seq'), resolved_at = p_now
            where h.seq = any (p_seqs)
            returning h.amount)
    select count(*), sum(r.amount) into v_count, v_amount from ended r;
    update credit.account a set held = a.held - v_amount where a.id = p_account;
    return v_count;
end $$;
