-- credit.give_back: gives back what the void and expired holds of an account held that the caller has locked. Returns
-- how many that were.
create or replace function credit.give_back(p_account bigint)
returns bigint language plpgsql as $$
declare
    v_now constant timestamptz := clock_timestamp();
begin
    return credit.give_back_void(p_account, v_now) + credit.give_back_expired(p_account, v_now);
end $$;
