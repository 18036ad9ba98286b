-- WRONG ON PURPOSE. story.charge_under_mark: refuses a fence below the highest that has *written*, and
-- raises it. The check is atomic, and held to the commit. What it lacks is the opening: between its
-- acquisition and its first write, a new holder has raised nothing, and an older one still gets in.
create or replace function story.charge_under_mark(
    p_resource text, p_fence bigint, p_account text, p_amount bigint, p_purpose text,
    out seq bigint, out balance bigint, out mark bigint)
language plpgsql as $$
begin
    insert into story.mark as m (resource, fence) values (p_resource, p_fence)
        on conflict on constraint mark_key do update set fence = excluded.fence
        where m.fence <= excluded.fence
        returning m.fence into mark;
    if found then
        select c.seq, c.balance into seq, balance
            from story.charge(p_account, p_amount, p_purpose, null, p_fence) c;
        return;
    end if;
    select m.fence into mark from story.mark m where m.resource = p_resource;
    insert into story.refusal (resource, presented_fence, observed_fence, account, amount, purpose)
        values (p_resource, p_fence, mark, p_account, p_amount, p_purpose);
end $$;
