-- fence.check_permit: raises ZF004 for what can be no permit: a missing part, a name that is empty or
-- longer than 512 bytes or has a control character, a fence outside 1 .. 2^62 - 1.
create or replace function fence.check_permit(p_resource text, p_fence bigint, p_holder uuid)
returns void language plpgsql immutable as $$
begin
    if not fence.is_name(p_resource, 1, 512) then
        raise exception using errcode = 'ZF004',
            message = 'a resource name has 1 to 512 bytes and no control character';
    end if;
    if p_fence is null or p_fence not between 1 and 4611686018427387903 then
        raise exception using errcode = 'ZF004',
            message = format('a fence is a whole number from 1 to 2^62 - 1, this one is %s', p_fence);
    end if;
    if p_holder is null then
        raise exception using errcode = 'ZF004', message = 'a permit names its holder';
    end if;
end $$;
