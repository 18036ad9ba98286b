-- The role of an application, which has its own schema and nothing of the guard's but EXECUTE; and a
-- stranger, who may look at the names in the schemas and nothing else.
create role app login;
create schema app authorization app;
select credit.grant_to('app');
create role stranger login;
grant usage on schema fence, credit to stranger;
