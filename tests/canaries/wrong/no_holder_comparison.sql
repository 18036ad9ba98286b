-- WRONG ON PURPOSE: breaks S5.
--
-- Only numbers are compared. When Redis has minted one number twice (C23), both of its holders are let in.
create or replace function judge(m mark, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select case
        when p_fence < m.fence then 'stale'
        when p_fence > m.fence then 'not open'
        else 'admitted'
    end
$$;

create or replace function judge_open(m mark, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select case
        when p_fence < m.fence then 'stale'
        when p_fence > m.fence then 'opened'
        else 'already open'
    end
$$;
