-- fence.mark: the highest fence opened for a resource, 0 if none: the floor that a new fence must
-- exceed after Redis has lost its memory. For a folded resource it is the highest that was folded.
-- Raises ZF004 for what can be no resource: an answer of 0 would say that it was never opened.
create or replace function fence.mark(p_resource text, p_call text default 'mark')
returns bigint language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    if p_call is distinct from 'mark' then
        raise exception using errcode = 'ZF003', message = 'this statement calls fence function "mark"';
    end if;
    if not fence.is_name(p_resource, 1, 512) then
        raise exception using errcode = 'ZF004',
            message = 'a resource name has 1 to 512 bytes and no control character';
    end if;
    return coalesce(
        (select x.fence from fence.resource x where x.resource = p_resource collate "C"),
        (select f.fence - 1 from fence.floor f));
end $$;
