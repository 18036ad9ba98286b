-- credit.hold_state: how a hold stands at this moment: its resolution, or by the predicates 'void' (see
-- credit.is_void) and 'expired' (by the database's clock; its last moment is expires_at, exclusive), or 'open'.
create or replace function credit.hold_state(h credit.hold, p_now timestamptz)
returns text language plpgsql stable as $$
begin
    return case
        when h.resolution is not null then h.resolution
        when credit.is_void(h.resource, h.fence, h.holder) then 'void'
        when h.expires_at <= p_now then 'expired'
        else 'open' end;
end $$;
