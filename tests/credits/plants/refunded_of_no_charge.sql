-- S8: a refund of a grant.
update credit.entry set refund_of = (select min(x.request::text)::uuid from credit.entry x where x.operation = 'grant')
where operation = 'refund';
