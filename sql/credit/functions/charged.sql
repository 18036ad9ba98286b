-- credit.charged: how many credits were charged to an account for a purpose since a moment (that moment
-- included), 2^63 - 1 if it were more. A plain read: whoever decides by it opens first, and asks the primary.
-- Raises ZF004 where an argument is null: an answer of 0 would say that nothing was paid.
create or replace function credit.charged(p_account text, p_purpose text, p_since timestamptz)
returns bigint language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    if p_account is null or p_purpose is null or p_since is null then
        raise exception using errcode = 'ZF004', message = 'charged takes an account, a purpose and a moment';
    end if;
    return (
        select least(coalesce(-sum(e.change), 0), 9223372036854775807)
        from credit.account a join credit.entry e on e.account = a.id
        where a.name = p_account collate "C"
          and e.operation = 'charge' and e.purpose = p_purpose collate "C" and e.at >= p_since);
end $$;
