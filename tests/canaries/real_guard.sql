-- The guard of this workspace behind the same interface.

create view opening as
    select o.seq, o.resource, o.fence, o.holder from fence.opening o;

create view refusal as
    select r.resource, r.presented_fence, r.presented_holder, r.request, r.reason,
           r.observed_fence, r.observed_holder
    from fence.refusal r;

create function open(p_resource text, p_fence bigint, p_holder uuid) returns text language sql as $$
    select o.outcome from fence.open(p_resource, p_fence, p_holder, interval '1 minute') o
$$;

create function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    outcome text;
begin
    select a.outcome into outcome
        from fence.admit(array[(p_resource, p_fence, p_holder)::fence.permit], 'write', p_request,
                         interval '1 minute') a;
    if outcome = 'admitted' then
        perform enter(p_resource, p_fence, p_holder, p_request);
    end if;
    return outcome;
end $$;
