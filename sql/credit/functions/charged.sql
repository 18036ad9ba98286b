-- credit.charged: how many credits were charged to an account for a purpose since a moment, 2^63 - 1 if it
-- were more. A plain read: whoever decides by it opens first.
create or replace function credit.charged(p_account text, p_purpose text, p_since timestamptz)
returns bigint language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select least(coalesce(-sum(e.change), 0), 9223372036854775807)::bigint
    from credit.account a join credit.entry e on e.account = a.id
    where a.name = p_account and e.operation = 'charge' and e.purpose = p_purpose and e.at >= p_since
$$;
