-- credit.look_hold: locks a hold for its resolution, the account before it, and says what is in the way of it.
--
-- Expired holds of the account are given back first, and this one if it is void: from then on its row says which of the
-- four ways it ended, and the row is changed once. a and h are what the locks returned, and now is the moment, read
-- after them, at which the hold was judged: whoever resolves it keeps that, so that it lies before its expiry.
--
-- A hold that has ended says so before its account says anything: that is final, whatever has become of the account
-- since, and whoever asks again for what was paid has to hear that it was. An open hold has its account open.
--
-- outcome: null where it can be resolved, or 'unknown hold', 'hold captured', 'hold released', 'hold expired',
-- 'hold void', 'frozen account' (a capture), 'other resource'
create or replace function credit.look_hold(
    p_hold uuid, p_resource text, p_takes boolean,
    out outcome text, out a credit.account, out h credit.hold, out now timestamptz)
language plpgsql as $$
declare
    v_account bigint;
begin
    -- A hold never changes its account.
    select y.account into v_account from credit.hold y where y.request = p_hold;
    if not found then
        outcome := 'unknown hold';
        return;
    end if;
    select * into a from credit.account x where x.id = v_account for update;
    now := clock_timestamp();
    select * into h from credit.hold y where y.request = p_hold for update;
    if a.held > 0 and credit.give_back_expired(a.id, now)
                      + credit.end_holds(a.id, array(
                            select h.seq where h.resolution is null and h.expires_at > now
                                               and credit.is_void(h.resource, h.fence, h.holder)), 'void', now) > 0 then
        select * into a from credit.account x where x.id = a.id;
        select * into h from credit.hold y where y.request = p_hold;
    end if;
    outcome := coalesce(
        'hold ' || h.resolution,
        credit.judge_account(a.id, a.closed_at, a.frozen_at, p_takes),
        case when h.resource <> p_resource collate "C" then 'other resource' end);
end $$;
