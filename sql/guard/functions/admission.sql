-- fence.admission: a permit as the transaction's setting carries it.
create or replace function fence.admission(p_resource text, p_fence bigint, p_holder uuid)
returns text language sql immutable as $$
    select p_fence || ' ' || p_holder || ' ' || p_resource
$$;
