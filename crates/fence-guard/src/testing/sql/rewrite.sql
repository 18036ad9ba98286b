-- The statements that a hand at the keyboard would send about one resource, as texts.
--   $1  the table
--   $2  its column that names the resource
--   $3  the resource
select format('update %s set %2$I = %2$I where %2$I = %3$L', $1::text::regclass, $2::text, $3::text)
union all
select format('delete from %s where %2$I = %3$L', $1::text::regclass, $2::text, $3::text)
union all
select format('truncate %s', $1::text::regclass)
