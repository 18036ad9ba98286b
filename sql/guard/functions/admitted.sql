-- fence.admitted: the permits that this transaction was admitted with, as JSON; null before admission.
-- The setting only carries them. It can be forged, so whoever uses it looks at the row again.
create or replace function fence.admitted()
returns jsonb language sql stable as $$
    select nullif(current_setting('fence.admitted', true), '')::jsonb
$$;
