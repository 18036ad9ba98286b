-- credit.charge_unless_charged: charges, unless there is an entry for the purpose. The caller has the resource
-- exclusively: every charge for this purpose that was let in before is committed, and none is in flight.
-- outcome: 'already charged', or as credit.post.
create or replace function credit.charge_unless_charged(
    p_request uuid, p_account text, p_amount bigint, p_purpose text, p_since timestamptz,
    p_resource text, p_fence bigint, p_holder uuid)
returns credit.result language plpgsql as $$
declare
    v credit.result;
begin
    select e.seq, e.at into v.seq, v.at
        from credit.account a join credit.entry e on e.account = a.id
        where a.name = p_account collate "C"
          and e.operation = 'charge' and e.purpose = p_purpose collate "C" and e.at >= p_since
        order by e.at, e.seq limit 1;
    if found then
        v.outcome := 'already charged';
        return v;
    end if;
    return credit.post(p_request, 'charge', p_account, 'spent', -p_amount, p_purpose,
                       p_resource, p_fence, p_holder);
end $$;
