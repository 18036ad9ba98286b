-- fence.shorten: sets a time limit for this transaction unless a shorter one is set already.
-- 0 means "no limit" in Postgres. Most time settings show a unit ('5s'); tcp_user_timeout shows bare ms.
create or replace function fence.shorten(p_setting text, p_limit_ms int)
returns void language plpgsql as $$
declare
    v_shown text := current_setting(p_setting);
    v_ms double precision := case
        when v_shown ~ '^[0-9]+$' then v_shown::double precision
        else 1000 * extract(epoch from v_shown::interval) end;
begin
    if v_ms = 0 or v_ms > p_limit_ms then
        perform set_config(p_setting, p_limit_ms::text, true);
    end if;
end $$;
