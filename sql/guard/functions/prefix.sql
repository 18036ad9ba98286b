-- fence.prefix: the first so many parts of a name, each with its colon: of user:7:dataset:42 'user:' for 1, 'user:7:' for
-- 2. A name that has no more parts than that is itself; '' for 0.
create or replace function fence.prefix(p_resource text, p_depth int)
returns text language sql immutable as $$
    select case when cardinality(x.parts) <= p_depth then p_resource
                else coalesce(nullif(array_to_string(x.parts[1:p_depth], ':'), '') || ':',
                              case when p_depth > 0 then ':' else '' end) end
    from string_to_array(p_resource, ':') x (parts)
$$;
