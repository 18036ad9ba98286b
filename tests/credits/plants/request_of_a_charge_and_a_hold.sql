-- S6: one request id that has charged, and holds.
update credit.hold h set request = (select e.request from credit.entry e where e.operation = 'charge' and e.hold is null)
where h.resolution is null;
