-- Two operations that only their names tell apart, for a pooler to mix up. Each writes whom it was
-- meant for.
create table paid (who int not null, number int not null);
create table refunded (who int not null, number int not null);

create function pay(p_who int, p_number int) returns int language sql as
    $$ insert into paid values (p_who, p_number) returning 1 $$;
create function refund(p_who int, p_number int) returns int language sql as
    $$ insert into refunded values (p_who, p_number) returning 2 $$;
