-- $1 callers have each paid and refunded the numbers from 0 to $2 - 1, once. How many rows are missing, and
-- how many too many?
with meant as (select who, number from generate_series(0, $1 - 1) who, generate_series(0, $2 - 1) number)
select (select count(*) from (select * from meant except all select * from paid) m)
     + (select count(*) from (select * from meant except all select * from refunded) m) as missing,
       (select count(*) from (select * from paid except all select * from meant) m)
     + (select count(*) from (select * from refunded except all select * from meant) m) as misplaced
