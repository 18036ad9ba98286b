-- credit.numbered: the charges of credit.charge_together, each with its place. Raises ZF004 for what can be none.
create or replace function credit.numbered(
    p_resources text[], p_fences bigint[], p_holders uuid[], p_requests uuid[],
    p_accounts text[], p_amounts bigint[], p_purposes text[])
returns credit.numbered_charge[] language plpgsql immutable as $$
declare
    v_count int := cardinality(p_resources);
begin
    if v_count is null or v_count not between 1 and 256 then
        raise exception using errcode = 'ZF004', message = 'charge_together takes 1 to 256 charges';
    end if;
    if (cardinality(p_fences), cardinality(p_holders), cardinality(p_requests), cardinality(p_accounts),
        cardinality(p_amounts), cardinality(p_purposes))
       is distinct from (v_count, v_count, v_count, v_count, v_count, v_count) then
        raise exception using errcode = 'ZF004', message = 'every array has one member for each charge';
    end if;
    return array(
        select (i.n, i.resource, i.fence, i.holder, i.request, i.account, i.amount, i.purpose)::credit.numbered_charge
        from unnest(p_resources, p_fences, p_holders, p_requests, p_accounts, p_amounts, p_purposes)
            with ordinality i (resource, fence, holder, request, account, amount, purpose, n)
        -- Each raises where it does not agree.
        cross join lateral fence.check_permit(i.resource, i.fence, i.holder) a
        cross join lateral credit.check_request(i.request, i.account, i.amount, i.purpose) b
        order by i.n);
end $$;
