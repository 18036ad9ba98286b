-- Of the stream that began the most transactions after the number $1 was drawn: how many.
select coalesce(max(n), 0) from (select count(*) as n from step where seq > $1 group by stream) s
