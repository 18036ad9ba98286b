-- A table that only a newer version has.
create table fence.only_in_newer_versions (id int);
