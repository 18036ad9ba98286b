-- fence.forgettable: of some openings that are about to go together those that may: each but the newest of a resource of
-- which an older opening stays. The newest tells of a fold; without it an older one would be the newest, of which
-- nothing was folded, and that nothing has replaced.
--
-- Within a resource numbers and fences grow together, so in one pass the older openings come first: what is due goes
-- in the same pass at the latest. Each step is one look at an index, and of those that go each is passed over once.
create or replace function fence.forgettable(p_seqs bigint[])
returns bigint[] language sql stable as $$
    select coalesce(array_agg(o.seq), '{}')
    from fence.opening o
    where o.seq = any (p_seqs)
      -- Scalar questions: an "exists" could be turned round into a join that reads the whole table.
      and ((select x.seq from fence.opening x
            where x.resource = o.resource and x.fence > o.fence order by x.fence limit 1) is not null
           or (select x.seq from fence.opening x
               where x.resource = o.resource and x.fence < o.fence and x.seq not in (select unnest(p_seqs))
               order by x.fence desc limit 1) is null)
$$;
