-- credit.give_back_expired: gives back what the expired holds of an account held, as credit.end_holds. It reads those
-- alone, however many are open. One that is void as well is void.
create or replace function credit.give_back_expired(p_account bigint, p_now timestamptz)
returns bigint language plpgsql as $$
declare
    v_state text;
    v_seqs bigint[];
    v_count bigint := 0;
begin
    for v_state, v_seqs in
        select s.state, array_agg(s.seq order by s.seq)
        from (select x.seq, credit.hold_state(x, p_now) as state
              from credit.hold x
              where x.account = p_account and x.resolution is null and x.expires_at <= p_now) s
        group by s.state
    loop
        v_count := v_count + credit.end_holds(p_account, v_seqs, v_state, p_now);
    end loop;
    return v_count;
end $$;
