-- fence.admitted: the permits that this transaction was admitted with, each as fence.admission writes it;
-- null before admission. The setting only carries them. It can be forged, so whoever uses it looks at the
-- row again.
create or replace function fence.admitted()
returns text[] language sql stable as $$
    select string_to_array(nullif(current_setting('fence.admitted', true), ''), E'\n')
$$;
