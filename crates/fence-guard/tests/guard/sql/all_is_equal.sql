-- An equality of texts that comes before Postgres' own, and finds everything equal.
create schema app;
create function app.same(text, text) returns boolean language sql as 'select true';
create operator app.= (leftarg = text, rightarg = text, function = app.same);
set search_path = app, pg_catalog;
