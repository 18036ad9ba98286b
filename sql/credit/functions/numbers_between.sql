-- credit.numbers_between: between which numbers the rows of a table lie that are of a time, so that a page of them is
-- read in the order of numbers and from the right place. since is included, until is not; null is unbounded. low is
-- above high where there are none.
--
-- A row takes its number, and a moment later its time: rows that were written side by side may have them the other way
-- around. The bounds are therefore wide by more numbers than are drawn in such a moment, and the caller compares times.
-- A clock that is set back turns more of them around than that, if more numbers were drawn while it lived a time twice:
-- rows of that time may then lie outside. To find those, too, every row of the time would have to be read.
create or replace function credit.numbers_between(
    p_rows regclass, p_time name, p_since timestamptz, p_until timestamptz, out low bigint, out high bigint)
language plpgsql stable as $$
declare
    v_slack constant bigint := 10000;
begin
    low := 0;
    high := 9223372036854775807;
    if p_since is not null then
        execute format('select seq - $2 from %1$s where %2$I >= $1 order by %2$I limit 1', p_rows, p_time)
            into low using p_since, v_slack;
    end if;
    if p_until is not null then
        execute format('select seq + $2 from %1$s where %2$I < $1 order by %2$I desc limit 1', p_rows, p_time)
            into high using p_until, v_slack;
    end if;
    if low is null or high is null then
        low := 1;
        high := 0;
    end if;
end $$;
