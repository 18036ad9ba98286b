-- credit.request_key: the advisory lock of a request id. Entries, holds and releases stand in two tables, so no
-- unique constraint keeps one id from two of them; whoever writes under an id takes this lock, after the account,
-- and looks in both.
create or replace function credit.request_key(p_request uuid)
returns bigint language sql immutable parallel safe as $$
    select pg_catalog.uuid_hash_extended(p_request, 1919247220)
$$;
