-- fence.folded_mark: what the mark of a resource said before it was folded: its newest opening tells, for as long as
-- fence.prune_openings lets that stay. All null where nothing was folded, or nobody knows any more.
--
-- To be asked of a resource that has no mark, under its locks.
create or replace function fence.folded_mark(p_resource text)
returns fence.resource language plpgsql as $$
declare
    o fence.opening;
    r fence.resource;
begin
    -- The newest, whatever it is: one step of an index, where "the newest folded one" would read them all.
    select * into o from fence.opening x where x.resource = p_resource order by x.fence desc limit 1;
    if o.folded_seq is not null then
        r := row (o.resource, o.fence, o.holder, o.seq, o.at, o.valid_until, o.minted,
                  o.closed_seq, o.closed_at, o.closed_lease_left_ms);
    end if;
    return r;
end $$;
