-- What this transaction has scanned of the tables of the history so far.
select sum(t.seq_scan)::bigint, sum(coalesce(t.idx_tup_fetch, 0) + t.seq_tup_read)::bigint
from pg_stat_xact_all_tables t
where t.relid in ('credit.entry'::regclass, 'credit.hold'::regclass, 'fence.refusal'::regclass)
