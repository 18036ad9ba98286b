-- How often an account was charged, and how many writes under a resource were refused.
select (select count(*) from credit.account a join credit.entry e on e.account = a.id
        where a.name = $1 and e.operation = 'charge'),
       (select count(*) from fence.refusal r where r.resource = $2)
