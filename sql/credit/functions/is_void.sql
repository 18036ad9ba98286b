-- credit.is_void: whether what was held under this opening is void: another opening has replaced it, and it had not
-- been closed. It only looks: openings are never changed, so what is void stays so. fence.open touches no account.
create or replace function credit.is_void(p_resource text, p_fence bigint, p_holder uuid)
returns boolean language plpgsql stable as $$
begin
    return exists (
        select from fence.opening o
        where o.resource = p_resource and o.previous_fence = p_fence and o.previous_holder = p_holder and o.takeover);
end $$;
