-- credit.is_covered: whether an account that stands like this has so much to be charged or held. A plain SQL expression,
-- so that the planner puts it in place of the call.
--
-- Written so that neither side can overflow: the amount is positive, or 0, floor <= 0 and balance - held >= floor. The
-- second bounds what can be held below a floor of less than 0.
create or replace function credit.is_covered(p_balance bigint, p_held bigint, p_floor bigint, p_amount bigint)
returns boolean language sql immutable as $$
    select p_balance - p_held >= p_floor + p_amount and p_held <= 9223372036854775807 - p_amount
$$;
