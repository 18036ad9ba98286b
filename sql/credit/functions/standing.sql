-- credit.standing: how a user account stands at this moment; no row where there is none of that name. held is what
-- open holds set aside, without those that are void or expired and not given back yet. What a charge or a hold may
-- take is balance - held - floor. A plain read: whoever decides by it opens first, and asks the primary.
create or replace function credit.standing(p_account text)
returns table (balance bigint, held bigint, floor bigint, opened_at timestamptz,
               frozen_at timestamptz, closed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select a.balance, h.held, a.floor, a.opened_at, a.frozen_at, a.closed_at
    from credit.account a
    cross join lateral (
        select coalesce(sum(x.amount), 0)::bigint as held
        from credit.hold x
        where x.account = a.id and x.resolution is null
          and credit.hold_state(x, clock_timestamp()) = 'open') h
    where a.name = p_account collate "C" and not a.is_system
$$;
