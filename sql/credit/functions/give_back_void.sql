-- credit.give_back_void: gives back what the void holds of an account held (see credit.is_void), as credit.end_holds.
--
-- Whether a hold is void stands nowhere but in the openings, and no index leads from those to an account: so it looks at
-- the account's open holds. Once an opening was closed or replaced, though, it is settled for ever whether its holds are
-- void. The account keeps the number up to which all of its holds are settled (settled_seq), and only those behind it are
-- looked at: from the oldest one on whose opening still stands. What is parked is looked at once.
--
-- The number of a hold is drawn behind the lock of its account, so none comes later with a lower one.
create or replace function credit.give_back_void(p_account bigint, p_now timestamptz)
returns bigint language plpgsql as $$
declare
    v_void bigint[];
    v_settled_seq bigint;
begin
    -- In one snapshot: a takeover moves the mark in the transaction that writes its opening. Each hold's mark and opening
    -- are looked up by their index: the planner knows nothing of what is settled, and would read all marks for it.
    select array_agg(l.seq order by l.seq) filter (where l.is_void),
           max(l.seq) filter (where l.first_standing is null or l.seq < l.first_standing)
        into v_void, v_settled_seq
        from (select x.seq, o.is_void, min(x.seq) filter (where r.stands) over () as first_standing
              from credit.hold x
              left join lateral (
                  select true as stands from fence.resource m
                  where m.resource = x.resource and m.fence = x.fence and m.holder = x.holder and m.closed_seq is null
                  limit 1) r on true
              left join lateral (
                  select true as is_void from fence.opening n
                  where n.resource = x.resource and n.previous_fence = x.fence and n.previous_holder = x.holder
                        and n.takeover
                  limit 1) o on true
              where x.account = p_account and x.resolution is null
                and x.seq > (select a.settled_seq from credit.account a where a.id = p_account)) l;
    update credit.account a set settled_seq = v_settled_seq where a.id = p_account and a.settled_seq < v_settled_seq;
    return credit.end_holds(p_account, coalesce(v_void, '{}'), 'void', p_now);
end $$;
