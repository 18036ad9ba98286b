-- credit.charge_once: charges an account for a purpose unless that was charged already, since a moment (that moment
-- included). The decision is made in here, behind the resource's lock, so it takes a permit that nobody has opened:
-- in one call it opens, looks, charges and closes again. Where the permit is open already, it stays so.
--
-- Every charge for this purpose has to be made under this resource: that lock is what keeps two from being made.
--
-- outcome, in this order of precedence:
--   'applied', 'request mismatch'                 as found by an earlier call with this request id, of charge as well
--   'stale', 'closed', 'conflict', 'not open'     refused by the guard, and kept as a row. 'closed' says also that an
--                                                 earlier call of this kind came to nothing: a permit rides once
--   'busy'                                        an opening that the guard minted is unclosed until until
--   'already charged'                             by another request; seq and at are that entry's
--   'unknown account', 'closed account', 'frozen account', 'insufficient credit'
--   'applied'                                     now
-- Alone in its transaction, for it opens. Raises as fence.open, and ZF004 on bad arguments.
create or replace function credit.charge_once(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid,
    p_account text, p_amount bigint, p_purpose text, p_since timestamptz default '-infinity',
    p_call text default 'charge_once')
returns credit.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_first credit.result;
    v_now credit.result;
    v_is_own boolean;
begin
    perform fence.arm('charge_once', p_call, interval '30 seconds');
    perform fence.check_permit(p_resource, p_fence, p_holder);
    perform credit.check_request(p_request, p_account, p_amount, p_purpose);
    if p_since is null then
        raise exception using errcode = 'ZF004', message = 'charge_once takes the moment to look from';
    end if;

    v_first := credit.replay(p_request, 'charge', p_account, -p_amount, p_purpose, p_resource, null, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    select r.outcome, r.mark, r.mark_holder, r.valid_until, r.is_own
        into v_now.outcome, v_now.mark, v_now.mark_holder, v_now.until, v_is_own
        from credit.ride(p_resource, p_fence, p_holder) r;
    if v_now.outcome is null then
        v_now := credit.charge_unless_charged(p_request, p_account, p_amount, p_purpose, p_since,
                                              p_resource, p_fence, p_holder);
        if v_is_own then
            update fence.resource x
                set closed_seq = nextval('fence.seq'), closed_at = clock_timestamp(), closed_lease_left_ms = 0
                where x.resource = p_resource collate "C";
        end if;
    end if;
    if v_now.outcome = 'applied' then
        return v_now;
    end if;

    -- As in charge: a twin may have committed meanwhile.
    v_first := credit.replay(p_request, 'charge', p_account, -p_amount, p_purpose, p_resource, null, true);
    if v_first.outcome is not null then
        return v_first;
    end if;
    if v_now.outcome in ('stale', 'closed', 'conflict', 'not open') then
        perform fence.refuse(
            (p_resource, p_fence, p_holder)::fence.permit, 'charge_once', p_request,
            v_now.outcome, v_now.mark, v_now.mark_holder,
            jsonb_build_object('account', p_account, 'amount', p_amount, 'purpose', p_purpose));
    end if;
    return v_now;
end $$;
