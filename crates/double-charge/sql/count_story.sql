-- How often an account was charged, and how many writes under a resource were refused.
select (select count(*) from story.entry e where e.account = $1),
       (select count(*) from story.refusal r where r.resource = $2)
