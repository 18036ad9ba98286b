-- credit.unused_of: those of the charges whose request id has no entry, the first of each id.
create or replace function credit.unused_of(p_charges credit.numbered_charge[])
returns credit.numbered_charge[] language sql stable as $$
    select coalesce(array_agg(f.first order by (f.first).n), '{}')
    from (select distinct on (i.request) i as first from unnest(p_charges) i order by i.request, i.n) f
    where not exists (select from credit.entry e where e.request = (f.first).request)
$$;
