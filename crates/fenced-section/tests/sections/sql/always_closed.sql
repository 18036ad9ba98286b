-- WRONG ON PURPOSE: a guard that calls every opening of a known resource closed.
create or replace function fence.judge_opening(r fence.resource, p_fence bigint, p_holder uuid)
returns text language sql as $$ select 'closed' $$
