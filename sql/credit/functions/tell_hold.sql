-- credit.tell_hold: what would have been done to a hold, for the row of a refusal. Of a hold that is not there the
-- row has neither account nor purpose.
create or replace function credit.tell_hold(p_hold uuid, p_amount bigint default null)
returns jsonb language plpgsql stable as $$
begin
    return coalesce((
        select jsonb_build_object('account', a.name, 'amount', coalesce(p_amount, h.amount),
                                  'purpose', h.purpose, 'hold', p_hold)
        from credit.hold h join credit.account a on a.id = h.account where h.request = p_hold),
        jsonb_build_object('amount', p_amount, 'hold', p_hold));
end $$;
