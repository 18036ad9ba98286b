-- What is no table that can be protected, and columns that are no text.
alter table note add gone text;
alter table note drop gone;
create view note_view as select * from note;
create materialized view note_matview as select * from note;
create sequence note_id_seq;
create temporary table note_temporary (resource text);
create foreign data wrapper nowhere;
create server far foreign data wrapper nowhere;
create foreign table note_far (resource text) server far;
create table note_here_and_far (resource text) partition by list (resource);
create foreign table note_part partition of note_here_and_far for values in ('r') server far;
create type word as enum ('r', 's');
create domain name_of as text;
create domain name_of_name as name_of check (value <> '');
create table odd (padded char(8), short name, word word, several text[], document jsonb, named name_of_name);
