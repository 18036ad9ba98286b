-- The statements that a hand at the keyboard would send about one resource, as texts.
--   $1  the table
--   $2  its column that names the resource
--   $3  the resource
--   $4  the role of the hand
-- The update changes nothing but itself: it sets one column to what it is. One that the role may set, if there is any;
-- rather no part of a key, nor the resource. A generated column can only be set to its default, which is what it is.
select format('update %s set %I = %s where %I = %L', $1::text::regclass, c.attname,
              case when c.attgenerated = '' then format('%I', c.attname) else 'default' end, $2::text, $3::text)
from (select a.attname, a.attgenerated
      from pg_attribute a
      where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped and a.attidentity <> 'a'
      order by not has_column_privilege($4::text::name, a.attrelid, a.attnum, 'update'),
               a.attgenerated <> '',
               a.attname = $2::text or exists (select from pg_index i where i.indrelid = a.attrelid
                                               and i.indisunique and a.attnum = any (i.indkey)),
               a.attnum
      limit 1) c
union all
select format('delete from %s where %2$I = %3$L', $1::text::regclass, $2::text, $3::text)
union all
-- Without "cascade" Postgres truncates nothing that a foreign key points to, and asks no guard.
select format('truncate %s cascade', $1::text::regclass)
