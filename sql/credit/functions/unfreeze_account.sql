-- credit.unfreeze_account: undoes credit.freeze_account; outcomes and errors as there.
create or replace function credit.unfreeze_account(p_account text, p_call text default 'unfreeze_account')
returns credit.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('unfreeze_account', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_account(p_account);
    return credit.set_frozen(p_account, false);
end $$;
