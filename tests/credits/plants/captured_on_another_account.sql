-- S8: a hold of alice's, charged to bob.
update credit.hold set account = (select id from credit.account where name = 'bob') where resolution = 'captured';
