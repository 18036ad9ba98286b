-- fence.look_floor: what a guard says of a fence whose resource has no row. Below the floor it is
-- 'stale' against the floor: its mark may have been folded. Otherwise it is 'not open', and the mark is
-- the highest that can have been folded, 0 where nothing ever was.
create or replace function fence.look_floor(p_fence bigint, out reason text, out mark bigint)
language sql stable as $$
    select case when p_fence < f.fence then 'stale' else 'not open' end,
           case when p_fence < f.fence then f.fence else f.fence - 1 end
    from fence.floor f
$$;
