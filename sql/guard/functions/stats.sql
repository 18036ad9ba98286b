-- fence.stats: how often sections outlived their lease, and what came of it, from p_since on until before p_until: the
-- figure that no lock library has. One row for each stretch of p_every (null: all in one, from p_since on) and each
-- prefix of so many parts of the resources' names (0 to 16; 0: all in one), newest first, then by sections; at most
-- p_limit (null: all). It reads all openings and refusals of that time, and locks none.
--
-- sections        openings that began in the stretch; still_open: of these, neither closed nor replaced
-- overruns        of these, those that outlived their lease (see fence.sections)
-- takeovers       openings in the stretch that replaced one that was not closed
-- held_…          of the sections whose end is known, the part of their time that they held, as quantiles: 1.0 is all of
--                 it; null where there is none
-- stale_attempts  how often writes of overtaken holders were refused, repeats included
-- stale, not_open, conflict, closed   refused writes by reason, each counted once, in the stretch of the first attempt
--
-- Compiling it first (jit) takes longer than what it saves.
--
-- Raises ZF004 for another depth, for p_every below a second or above 1000 years, and where there is no time between p_since and p_until.
create or replace function fence.stats(
    p_since timestamptz, p_until timestamptz, p_depth int default 0, p_every interval default null,
    p_limit int default null)
returns table (
    since timestamptz, prefix text, sections bigint, still_open bigint, overruns bigint, takeovers bigint,
    held_p50 float8, held_p90 float8, held_p99 float8, held_worst float8,
    stale_attempts bigint, stale bigint, not_open bigint, conflict bigint, closed bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
    v_every interval := coalesce(p_every, interval '1000 years');
begin
    if p_depth is null or p_depth not between 0 and 16 then
        raise exception using errcode = 'ZF004', message = 'a prefix has 0 to 16 parts';
    end if;
    if p_since is null or p_until is null or not isfinite(p_since) or not isfinite(p_until) or p_since >= p_until then
        raise exception using errcode = 'ZF004', message = 'stats are of a time that has a beginning and a later end';
    end if;
    if p_every not between interval '1 second' and interval '1000 years' then
        raise exception using errcode = 'ZF004', message = 'a stretch is a time from a second to 1000 years';
    end if;
    -- date_bin takes no months.
    v_every := make_interval(secs => extract(epoch from v_every));
    return query
    with of_sections as (
        select date_bin(v_every, s.at, p_since) as since, fence.prefix(s.resource, p_depth) as prefix,
               count(*) as sections, count(*) filter (where s.is_open) as still_open,
               count(*) filter (where s.overrun) as overruns, count(*) filter (where s.takeover) as takeovers,
               percentile_disc(array[0.5, 0.9, 0.99, 1.0]) within group (order by s.held_ratio) as held
        from fence.sections(p_since, p_until) s
        group by 1, 2
    ), of_refusals as (
        select date_bin(v_every, f.first_at, p_since) as since, fence.prefix(f.resource, p_depth) as prefix,
               sum(f.attempts) filter (where f.reason = 'stale')::bigint as stale_attempts,
               count(*) filter (where f.reason = 'stale') as stale,
               count(*) filter (where f.reason = 'not open') as not_open,
               count(*) filter (where f.reason = 'conflict') as conflict,
               count(*) filter (where f.reason = 'closed') as closed
        from fence.refusal f
        where f.seq >= fence.number_from('fence.refusal', 'first_at', p_since)
          and f.first_at >= p_since and f.first_at < p_until
        group by 1, 2
    )
    select coalesce(s.since, r.since), coalesce(s.prefix, r.prefix),
           coalesce(s.sections, 0), coalesce(s.still_open, 0), coalesce(s.overruns, 0), coalesce(s.takeovers, 0),
           s.held[1], s.held[2], s.held[3], s.held[4],
           coalesce(r.stale_attempts, 0), coalesce(r.stale, 0), coalesce(r.not_open, 0), coalesce(r.conflict, 0),
           coalesce(r.closed, 0)
    from of_sections s full join of_refusals r on r.since = s.since and r.prefix = s.prefix
    order by 1 desc, 3 desc, 2 limit p_limit;
end $$;
