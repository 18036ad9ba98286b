-- credit.dead_holds: the text of a query for credit.holds, with its arguments: number and time of each hold that is
-- 'void' or 'expired' by the predicate, and has not been given back. p_whose narrows it.
--
-- It comes from what makes a hold dead: from the openings that took over, and from the order of expiry. It knows no order
-- of numbers: for that the planner would read the open holds from the first one on.
create or replace function credit.dead_holds(p_state text, p_whose text)
returns text language sql immutable as $$
    select case p_state
        when 'void' then
            'select h.seq, h.at from fence.opening o
             join credit.hold h on h.resource = o.resource and h.fence = o.previous_fence and h.holder = o.previous_holder
             where o.takeover and h.resolution is null'
        when 'expired' then
            'select h.seq, h.at from credit.hold h
             where h.resolution is null and h.expires_at <= $10 and not credit.is_void(h.resource, h.fence, h.holder)'
        end || p_whose
$$;
