-- fence.look: locks the mark of one resource FOR SHARE to the end of the transaction, and judges the
-- permit by what the lock returned. reason is null where the write is admitted.
--
-- The lock is a statement of its own, so that it sees what was committed while it waited. The floor is
-- read in a statement after it: a row that is missing now was folded, if ever, before that statement.
create or replace function fence.look(
    p_resource text, p_fence bigint, p_holder uuid,
    out reason text, out mark bigint, out mark_holder uuid)
language plpgsql as $$
declare
    v_closed boolean;
begin
    select x.fence, x.holder, x.closed_seq is not null into mark, mark_holder, v_closed
        from fence.resource x where x.resource = p_resource collate "C" for share;
    reason := fence.judge(mark, mark_holder, v_closed, p_fence, p_holder);
    if mark is null then
        select l.reason, l.mark into reason, mark from fence.look_floor(p_fence) l;
    end if;
end $$;
