-- fence.audit_from: from which number on openings are complete: each that was the newest of its resource at that
-- number or later is still there, unless it had no end. 0 while none was pruned. A rule that holds rows against
-- openings is judged for rows from this number on.
create or replace function fence.audit_from()
returns bigint language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select r.audit_from from fence.retention r where r.job = 'prune_openings'
$$;
