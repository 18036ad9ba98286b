-- credit.check_follow_up: raises ZF004 for what no request takes that goes back to an earlier one (p_of): a capture
-- or a release to its hold, a refund to its charge.
create or replace function credit.check_follow_up(p_request uuid, p_of uuid, p_amount bigint)
returns void language plpgsql immutable as $$
begin
    perform credit.check_request(p_request, '-', p_amount, '');
    if p_of is null or p_of = '00000000-0000-0000-0000-000000000000' then
        raise exception using errcode = 'ZF004',
            message = 'this goes back to an earlier request, and takes its id';
    elsif p_of = p_request then
        raise exception using errcode = 'ZF004',
            message = 'a request has an id of its own, not that of the one that it goes back to';
    end if;
end $$;
