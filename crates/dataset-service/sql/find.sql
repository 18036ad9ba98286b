-- The query of a request, answered or not.
select resource, asked, answer from dataset.query where request = $1
