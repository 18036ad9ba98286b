-- fence.carried: the permit that fence.admission wrote, read back; null for what it never writes.
create or replace function fence.carried(p_admission text)
returns fence.permit language sql immutable as $$
    select case
        when p_admission ~ '^[1-9][0-9]{0,18} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} .'
             and split_part(p_admission, ' ', 1)::numeric between 1 and 4611686018427387903 then
            (substr(p_admission, strpos(p_admission, ' ') + 38), split_part(p_admission, ' ', 1)::bigint,
             split_part(p_admission, ' ', 2)::uuid)::fence.permit
    end
$$;
