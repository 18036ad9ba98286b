-- The slow query: readings of a dataset, one an hour, over days. They are generated from the dataset's name, so that the
-- same query has the same answer everywhere. It takes $4 seconds more than it needs.
with slow as materialized (select pg_sleep($4))
select count(*) as rows, sum(r.reading)::bigint as total, max(r.reading) as largest
from slow,
     generate_series($2::integer, $3::integer) as day,
     generate_series(0, 23) as hour,
     lateral (select abs(hashtextextended(format('%s/%s/%s', $1::text, day, hour), 0) % 1000) as reading) as r
