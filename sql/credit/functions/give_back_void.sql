-- credit.give_back_void: gives back what the void holds of an account held (see credit.is_void), as credit.end_holds.
-- It looks at every open hold: whether one is void stands nowhere but in the openings.
create or replace function credit.give_back_void(p_account bigint, p_now timestamptz)
returns bigint language plpgsql as $$
begin
    return credit.end_holds(p_account, array(
        select x.seq
        from credit.hold x
        join fence.opening o on o.resource = x.resource and o.previous_fence = x.fence
                                and o.previous_holder = x.holder and o.takeover
        where x.account = p_account and x.resolution is null
        order by x.seq), 'void', p_now);
end $$;
