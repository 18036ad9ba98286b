-- A gigabyte of rows, of which none comes before the gate (an advisory lock) is open.
with gate as materialized (select pg_advisory_xact_lock_shared(7))
select repeat('x', 100000) from gate, generate_series(1, 10000)
