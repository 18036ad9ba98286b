-- charge and grant of a version that has an outcome more.
create or replace function credit.charge(
    p_resource text, p_fence bigint, p_holder uuid, p_request uuid,
    p_account text, p_amount bigint, p_purpose text, p_call text default 'charge')
returns credit.result language sql as
    $$ select ('deferred', false, null, 1, now(), 1, null, null, null, null, null, null)::credit.result $$;

create or replace function credit.grant(
    p_request uuid, p_account text, p_amount bigint, p_purpose text, p_call text default 'grant')
returns credit.result language sql as
    $$ select ('deferred', false, null, 1, now(), 1, null, null, null, null, null, null)::credit.result $$;
