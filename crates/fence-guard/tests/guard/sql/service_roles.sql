-- A service that owns its tables and may use the guard; a writer that was given the table alone; an operator.
create role service login;
create schema service authorization service;
select fence.grant_to('service');
create role writer login;
create role operator login;
select fence.grant_operator('operator');
