-- Two roles of one server, neither of them a superuser: who installs the guard and runs the kit, and who runs the
-- service. The first may do what the second may.
create role installer login;
create role inventory login;
grant inventory to installer;
