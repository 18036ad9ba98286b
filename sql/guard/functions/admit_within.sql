-- fence.admit_within: the admission of a function that both admits and writes, such as a ledger's charge.
--
-- Where the transaction is not admitted yet, it is admitted under this one permit; reason says why not,
-- and the caller records the refusal. Where it is, the permit must be among the admitted ones and must
-- hold when its row is looked at again; everything else raises ZF006, because what was written before in
-- this transaction must not commit. Where the setting was made by hand, the transaction joins the writers in
-- flight here (fence.join_writers, which may raise 55P03); what the error ends keeps nobody out.
create or replace function fence.admit_within(
    p_resource text, p_fence bigint, p_holder uuid,
    out reason text, out mark bigint, out mark_holder uuid)
language plpgsql as $$
declare
    v_admitted text[] := fence.admitted();
    v_permit text := fence.admission(p_resource, p_fence, p_holder);
begin
    if v_admitted is null then
        if pg_current_xact_id_if_assigned() is not null then
            raise exception using errcode = 'ZF002',
                message = 'this transaction has written or locked before it was admitted',
                hint = 'begin it with fence.admit, or call the function on its own';
        end if;
        perform pg_advisory_xact_lock_shared(fence.lock_key(p_resource));
    elsif v_permit <> all (v_admitted) then
        raise exception using errcode = 'ZF006',
            message = format('fence %s of %s is not among the permits of this transaction', p_fence, p_resource);
    else
        perform fence.join_writers(p_resource);
    end if;

    select l.reason, l.mark, l.mark_holder into reason, mark, mark_holder
        from fence.look(p_resource, p_fence, p_holder) l;
    if v_admitted is null and reason is null then
        perform set_config('fence.admitted', v_permit, true);
    elsif v_admitted is not null and reason is not null then
        raise exception using errcode = 'ZF006',
            message = format('fence %s of %s is %s, the mark is %s', p_fence, p_resource, reason, mark);
    end if;
end $$;
