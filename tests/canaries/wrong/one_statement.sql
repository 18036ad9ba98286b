-- WRONG ON PURPOSE: breaks S7.
--
-- Check, entry and refusal in one statement. The locked row is read again after a wait, so nothing stale is
-- let in; but the mark that the refusal records is from the snapshot before the wait.
create or replace function write(p_resource text, p_fence bigint, p_holder uuid, p_request uuid)
returns text language plpgsql as $$
declare
    outcome text;
begin
    with seen as (
        select m.fence, m.holder from mark m where m.resource = p_resource
    ), locked as (
        select from mark m
        where m.resource = p_resource and m.fence = p_fence and m.holder = p_holder for share
    ), entered as (
        insert into entry select p_resource, p_fence, p_holder, p_request from locked returning request
    ), refused as (
        insert into refusal
        select p_resource, p_fence, p_holder, p_request,
               case when p_fence > s.fence then 'not open'
                    when p_fence = s.fence and p_holder <> s.holder then 'conflict'
                    else 'stale' end,
               s.fence, s.holder
        from seen s where not exists (select from entered)
        returning reason
    )
    select coalesce((select r.reason from refused r), 'admitted') into outcome;
    perform pg_advisory_xact_lock_shared(gate_key(p_resource));
    return outcome;
end $$;
