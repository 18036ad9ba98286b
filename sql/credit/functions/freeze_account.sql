-- credit.freeze_account: from its commit on nothing is taken out of the account (see credit.judge_account), until
-- credit.unfreeze_account. It waits for the charge in flight, if there is one.
--
-- outcome: 'changed', 'unchanged' (it is frozen already), 'unknown account', 'closed account'.
-- Raises ZF001 outside READ COMMITTED, ZF004 for what is no name.
create or replace function credit.freeze_account(p_account text, p_call text default 'freeze_account')
returns credit.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform fence.arm('freeze_account', p_call, interval '30 seconds', p_rides => fence.admitted() is not null);
    perform credit.check_account(p_account);
    return credit.set_frozen(p_account, true);
end $$;
