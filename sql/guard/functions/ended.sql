-- fence.ended: of some openings those that have ended, and by what number and when: the next opening of the
-- resource replaced them, or their mark was folded. Nothing is written under an opening after that number.
create or replace function fence.ended(p_seqs bigint[])
returns table (seq bigint, ended_seq bigint, ended_at timestamptz) language sql stable as $$
    select o.seq, coalesce(o.folded_seq, n.seq), coalesce(o.folded_at, n.at)
    from fence.opening o
    left join lateral (
        select x.seq, x.at from fence.opening x
        where x.resource = o.resource and x.fence > o.fence order by x.fence limit 1) n on true
    where o.seq = any (p_seqs) and coalesce(o.folded_seq, n.seq) is not null
$$;
