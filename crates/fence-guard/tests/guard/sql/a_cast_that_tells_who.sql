-- A cast to text, by which the owner of a table learns with whose rights it runs.
create type told as enum ('r');
create function tell(told) returns text language sql as $$ select current_user::text $$;
create cast (told as text) with function tell(told) as assignment;
create table by_hand_resource (resource told);
create table by_hand_other (other told);
create trigger by_hand after insert on by_hand_resource for each row execute function fence.check_row('resource');
create trigger by_hand after insert on by_hand_other for each row execute function fence.check_row('other');
