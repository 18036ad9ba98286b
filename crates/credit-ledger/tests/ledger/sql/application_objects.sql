-- What the verbs need beside the relations that they are tried on.
create table app.note (text text);
create function app.mine() returns trigger language plpgsql as $$ begin return null; end $$;
