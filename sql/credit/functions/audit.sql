-- credit.audit: what the ledger's own rows say about its rules, the guard's included. No row means that they hold. Of each rule
-- the first offending rows, in the order of their numbers: at most p_limit, but one at the least (null: all of them). seq is the number of
-- the row, null where it has none; subject its resource, account or request.
--
-- One statement, one snapshot, no lock of any row: it can run on a live system, and keeps no writer waiting. It reads
-- everything.
create or replace function credit.audit(p_limit int default 1)
returns table (rule text, subject text, seq bigint, finding text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select n.rule, n.subject, n.seq, n.finding
    from (select f.*, row_number() over (partition by f.rule order by f.seq, f.subject collate "C", f.finding) as place
          from (select * from fence.audit()
                union all select * from credit.audit_guarded()
                union all select * from credit.audit_balances()
                union all select * from credit.audit_holds()
                union all select * from credit.audit_ended()) f (rule, subject, seq, finding)) n
    where p_limit is null or n.place <= greatest(p_limit, 1)
    order by n.rule, n.place
$$;
