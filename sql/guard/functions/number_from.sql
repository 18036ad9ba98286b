-- fence.number_from: from which number on the rows of a table lie that are of a moment or later, so that a page of them
-- starts at the right place. It looks numbers up by halves: no index of times has to be paid for by every opening. The
-- caller compares times as well.
--
-- A row takes its number, and a moment later its time: rows that were written side by side may have them the other way
-- around, so the answer is early by more numbers than are drawn in such a moment. A clock that is set back turns more of
-- them around than that, if more numbers were drawn while it lived a time twice: rows of that time may then be left out.
create or replace function fence.number_from(p_rows regclass, p_time name, p_since timestamptz)
returns bigint language plpgsql stable as $$
declare
    v_slack constant bigint := 10000;
    v_low bigint;
    v_high bigint;
    v_middle bigint;
    v_seq bigint;
    v_at timestamptz;
begin
    execute format('select min(seq), max(seq) from %s', p_rows) into v_low, v_high;
    while v_low <= v_high loop
        v_middle := v_low + (v_high - v_low) / 2;
        execute format('select seq, %I from %s where seq >= $1 order by seq limit 1', p_time, p_rows)
            into v_seq, v_at using v_middle;
        if v_at >= p_since then
            v_high := v_middle - 1;
        else
            v_low := v_seq + 1;
        end if;
    end loop;
    return coalesce(v_low, 1) - v_slack;
end $$;
