-- S6: one request id that has granted, and released.
update credit.hold h set resolved_by = (select min(e.request::text)::uuid from credit.entry e where e.operation = 'grant')
where h.resolution = 'released';
