-- credit.balance: the credits of a user account; null where there is none of that name.
create or replace function credit.balance(p_account text)
returns bigint language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select a.balance from credit.account a where a.name = p_account collate "C" and not a.is_system
$$;
