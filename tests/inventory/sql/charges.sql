select count(*) from credit.entry e where e.operation = 'charge' and e.resource = $1
