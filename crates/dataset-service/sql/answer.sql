-- Keeps the answer of a request. No row, where it has one already.
update dataset.query set answer = $2, answered_at = clock_timestamp()
where request = $1 and answer is null
