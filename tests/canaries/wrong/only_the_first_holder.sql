-- WRONG ON PURPOSE: breaks liveness.
--
-- Whoever opens a resource first has it for ever (C27): nothing stale gets in, and no successor either.
create or replace function judge_open(m mark, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select case
        when m.fence = 0 then 'opened'
        when p_holder = m.holder then 'already open'
        else 'conflict'
    end
$$;

create or replace function judge(m mark, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select case when p_holder = m.holder then 'admitted' else 'held by another' end
$$;

create or replace function refuse(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid, p_reason text, m mark)
returns void language sql as $$
    select
$$;
