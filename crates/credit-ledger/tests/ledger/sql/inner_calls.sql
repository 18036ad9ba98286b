-- A call of each function of both schemas that is not in $1.
select format('select %s.%s(%s)', p.pronamespace::regnamespace, p.proname,
              (select string_agg('null::' || format_type(t.type, null), ', ' order by t.n)
               from unnest(p.proargtypes) with ordinality t (type, n)))
from pg_proc p
where p.pronamespace::regnamespace::text in ('fence', 'credit')
  and format('%s.%s', p.pronamespace::regnamespace, p.proname) <> all ($1)
order by 1
