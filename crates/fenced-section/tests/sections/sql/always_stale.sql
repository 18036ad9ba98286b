-- WRONG ON PURPOSE: a guard that calls every opening stale, whatever its fence.
create or replace function fence.judge_opening(r fence.resource, p_fence bigint, p_holder uuid)
returns text language sql as $$ select 'stale' $$
