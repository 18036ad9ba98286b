-- credit.judge_account: why an account takes part in nothing, or (p_takes) why nothing is taken out of it. Null: it may.
-- A frozen account gives no credits away: no charge, no hold, no capture. It still gets them: grants, refunds and
-- releases go on, for they can only add to what its owner has. A closed one has come to its end.
--
-- A plain SQL expression, so that the planner puts it in place of the call.
create or replace function credit.judge_account(
    p_id bigint, p_closed_at timestamptz, p_frozen_at timestamptz, p_takes boolean)
returns text language sql immutable as $$
    select case
        when p_id is null then 'unknown account'
        when p_closed_at is not null then 'closed account'
        when p_frozen_at is not null and p_takes then 'frozen account' end
$$;
