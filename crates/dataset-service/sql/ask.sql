-- Binds a request to what it asks. One that is asked again, because nothing came of the first time, stays as it is;
-- whether it asks the same is for the caller to see.
insert into dataset.query (request, resource, asked) values ($1, $2, $3)
on conflict (request) do nothing
