-- fence.keep_openings_by: makes a function a keeper of openings (see fence.prune_openings): of the form
-- schema.name(resource text, fence bigint) returns boolean. To be called by the schema's owner, best from the
-- migration that brings the function's schema; calling it again changes nothing. Errors as fence.keeper_function.
create or replace function fence.keep_openings_by(p_function text)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    insert into fence.keeper (function_name) values (fence.keeper_function(p_function))
        on conflict on constraint keeper_key do nothing;
end $$;
