-- credit.entries: entries in the order of their numbers: those after p_after (null: from the start), at most p_limit (null: all; less
-- than 0 raises 2201W). The filters are added up, null leaves one out: of an account, written under a resource, by a
-- holder, from p_since on (included) until p_until (not included). With p_before the newest come
-- first, those before it and after p_after: 9223372036854775807 for the first page, then the last number of the page before.
--
-- In one account the numbers come in the order of commits, for its row is locked: whoever reads on from the last number
-- of a page misses nothing. Anywhere else a transaction may draw a number and commit behind one that drew a later one:
-- what it wrote is then below the end of a page that was read in between. Whoever must not miss it reads by account, or
-- reads again from a number that was the last before the oldest transaction in flight began.
--
-- Times are compared as they were written. Where the clock was set back, numbers and times part, and a page by time can
-- lack rows of the stretch that was lived twice (see credit.numbers_between); a page by anything else lacks none.
--
-- A page is read in the order of one filter, and the others are compared: two that many rows have each, and few have
-- both, cost the rows of one of them (an account and a resource of 300,000 entries each that have none in common: some
-- 0.3 s). An index for each pair would be paid for by every charge.
--
-- The query has only the filters that are given, and is planned for them: each has its index, which bears the order of
-- the page as well. Sorting is switched off, so that the planner reads a page in that order also where it believes,
-- by statistics that are old or missing, that few rows are left to be sorted.
create or replace function credit.entries(
    p_account text, p_after bigint, p_limit int, p_resource text default null, p_holder uuid default null,
    p_since timestamptz default null, p_until timestamptz default null, p_before bigint default null)
returns table (seq bigint, request uuid, operation text, account text, change bigint, balance_after bigint,
               purpose text, hold uuid, refund_of uuid, resource text, fence bigint, holder uuid, at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
    v_account bigint := (select a.id from credit.account a where a.name = p_account collate "C");
    v_low bigint;
    v_high bigint;
begin
    select b.low, b.high into v_low, v_high
        from credit.numbers_between('credit.entry', 'at', p_since, p_until) b;
    v_high := least(v_high, p_before - (p_before > 0)::int);
    if p_account is not null and v_account is null or v_low > v_high then
        v_high := 0;
    end if;
    return query execute
        'select e.seq, e.request, e.operation, a.name, e.change, e.balance_after, e.purpose, e.hold, e.refund_of,
                e.resource, e.fence, e.holder, e.at
         from credit.entry e join credit.account a on a.id = e.account
         where e.seq > $1 and e.seq <= $2'
        || case when p_account is not null then ' and e.account = $4' else '' end
        || case when p_resource is not null then ' and e.resource = $5' else '' end
        || case when p_holder is not null then ' and e.holder = $6' else '' end
        || case when p_since is not null then ' and e.at >= $7' else '' end
        || case when p_until is not null then ' and e.at < $8' else '' end
        || case when p_before is null then ' order by e.seq limit $3' else ' order by e.seq desc limit $3' end
        using greatest(coalesce(p_after, 0), v_low - 1), v_high, p_limit, v_account, p_resource, p_holder,
              p_since, p_until;
end $$;
