-- What the tests write, and the one function that writes like a riding call: it takes the resource's row
-- exclusively, opens, decides by purpose what is still to be done, writes, and closes what it opened.
create table note (text text not null);

create function note_once(
    p_resource text, p_fence bigint, p_holder uuid, p_text text,
    out outcome text, out mark bigint, out mark_holder uuid)
language plpgsql as $$
declare
    v_opened text;
begin
    select o.outcome, o.mark, o.mark_holder into v_opened, mark, mark_holder
        from fence.open(p_resource, p_fence, p_holder, '10 s') o;
    if v_opened not in ('opened', 'already open') then
        outcome := v_opened;
        return;
    end if;
    perform from fence.resource r where r.resource = p_resource for update;
    if exists (select from note n where n.text = p_text) then
        outcome := 'there already';
    else
        insert into note (text) values (p_text);
        outcome := 'written';
    end if;
    if v_opened = 'opened' then
        -- Not fence.close, which comes first in its transaction; here the row is held already.
        update fence.resource r
            set closed_seq = nextval('fence.seq'), closed_at = clock_timestamp(), closed_lease_left_ms = 1
            where r.resource = p_resource;
    end if;
end $$;
