-- fence.keeper_function: a keeper's name (schema.name, as Postgres writes it), once it is seen that it can be
-- called. It runs with the rights of the guard's owner, so it must be that owner's own: whoever else owned it could
-- make it another function between the look and the call, and have it do anything.
-- Raises 42883 when there is no such function, 42501 when it would get rights that it should not have.
create or replace function fence.keeper_function(p_name text)
returns text language plpgsql stable as $$
declare
    f record;
begin
    select p.pronamespace::regnamespace || '.' || quote_ident(p.proname) as name,
           p.proowner = n.nspowner as is_safe
        into f
        from pg_proc p, pg_namespace n
        where p.pronamespace::regnamespace || '.' || quote_ident(p.proname) = p_name
          and oidvectortypes(p.proargtypes) = 'text, bigint' and p.prorettype = 'boolean'::regtype
          and n.nspname = 'fence';
    if not found then
        raise exception using errcode = '42883',
            message = format('the keeper %s(text, bigint) returns boolean is not there', p_name),
            hint = 'create it again, or delete its row from fence.keeper if its schema is gone';
    elsif not f.is_safe then
        raise exception using errcode = '42501',
            message = format('the keeper %s is not owned by the owner of schema fence', p_name);
    end if;
    return f.name;
end $$;
