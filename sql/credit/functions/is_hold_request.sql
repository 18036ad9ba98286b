-- credit.is_hold_request: whether a request id was used to hold, or to resolve a hold.
create or replace function credit.is_hold_request(p_request uuid)
returns boolean language plpgsql stable as $$
begin
    return exists (select from credit.hold h where h.request = p_request)
        or exists (select from credit.hold h where h.resolved_by = p_request);
end $$;
