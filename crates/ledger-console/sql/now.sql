-- The time of the clock that rows bear.
select clock_timestamp()
