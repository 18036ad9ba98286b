-- The backends that hold the lock by which installs take turns.
select l.pid
from pg_locks l
where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.pid is not null
  and l.database = (select d.oid from pg_database d where d.datname = current_database())
  and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('fence.install', 0)
order by l.pid
