-- credit.keeps_opening: whether an open hold refers to an opening: whether the hold is void must stay to be seen. The
-- keeper of this schema, see fence.prune_openings.
create or replace function credit.keeps_opening(p_resource text, p_fence bigint)
returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
    select exists (
        select from credit.hold h where h.resource = p_resource and h.fence = p_fence and h.resolution is null)
$$;
