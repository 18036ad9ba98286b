-- A function that only a newer version has.
create or replace function fence.only_in_newer_versions()
returns int language sql as $$ select 1 $$;
