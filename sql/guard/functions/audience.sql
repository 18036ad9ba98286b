-- fence.audience: for whom a function is: 'application' (what fence.grant_to gives), 'operator' (what
-- fence.grant_operator gives), or null: for the functions of its schema alone.
--
-- The rule, for every schema that is installed beside the guard: what is SECURITY DEFINER is for the
-- application, save that fold and prune_… are for the operator. And four that run as their caller: whoever
-- protects a table owns it, and names the trigger functions.
create or replace function fence.audience(p_function oid)
returns text language sql stable as $$
    select case
        when p.prosecdef and p.proname ~ '^(fold$|prune_)' then 'operator'
        when p.prosecdef then 'application'
        when p.pronamespace = 'fence'::regnamespace
             and p.proname in ('protect', 'unprotect', 'check_row', 'check_truncate') then 'application'
    end
    from pg_proc p where p.oid = p_function
$$;
