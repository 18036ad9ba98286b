-- A trigger of the service that makes every row one of resource s.
create function rewrite() returns trigger language plpgsql as $$ begin new.resource := 's'; return new; end $$;
create trigger zz_rewrites before insert or update on note for each row execute function rewrite();
