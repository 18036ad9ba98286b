-- credit.replay_release: as credit.replay, for a release.
create or replace function credit.replay_release(p_request uuid, p_hold uuid, p_resource text)
returns credit.result language plpgsql as $$
declare
    h credit.hold;
    v credit.result;
begin
    select * into h from credit.hold x where x.resolved_by = p_request;
    if h.seq is null or h.resolution <> 'released' then
        if h.seq is not null or exists (select from credit.entry e where e.request = p_request)
           or exists (select from credit.hold x where x.request = p_request) then
            v.outcome := 'request mismatch';
            v.field := 'operation';
        end if;
        return v;
    end if;
    v.field := case when h.request <> p_hold then 'hold' when h.resource <> p_resource collate "C" then 'resource' end;
    if v.field is not null then
        v.outcome := 'request mismatch';
        return v;
    end if;
    v.outcome := 'applied';
    v.replayed := true;
    v.seq := h.resolved_seq;
    v.at := h.resolved_at;
    select a.balance, a.held into v.balance_after, v.held from credit.account a where a.id = h.account;
    return v;
end $$;
