-- The guard's tables. Nothing outside the schema "fence" may point a foreign key at them: a key check
-- would take its own row lock on the row whose locks are the guard.

-- One sequence numbers openings, closes and guarded entries, so that "was anything written under an
-- older fence after this opening?" is a comparison of numbers and needs no clock. It is drawn after
-- the resource row was locked; cache 1 keeps sessions from drawing ahead.
create sequence fence.seq as bigint cache 1;

-- No resource without a row may be opened, or write, below this fence. It stands for every mark that
-- was folded away.
create table fence.floor (
    only_row boolean not null default true,
    fence    bigint  not null,
    constraint floor_key primary key (only_row),
    constraint floor_has_one_row check (only_row),
    constraint floor_fence_in_range check (fence between 1 and 4611686018427387904)
);
insert into fence.floor (fence) values (1);

-- The mark of a resource: the highest fence that was opened, by whom, and whether it was closed.
-- Half-filled pages and no index on a column that changes keep every update on its page (HOT).
create table fence.resource (
    resource             text collate "C" not null,
    fence                bigint           not null,
    holder               uuid             not null,
    opened_seq           bigint           not null,
    opened_at            timestamptz      not null,
    valid_until          timestamptz      not null,
    minted               boolean          not null,
    closed_seq           bigint,
    closed_at            timestamptz,
    closed_lease_left_ms bigint,
    constraint resource_key primary key (resource),
    constraint resource_name_bounded check (octet_length(resource) between 1 and 512),
    constraint resource_fence_in_range check (fence between 1 and 4611686018427387903),
    constraint resource_closed_after_open check (closed_seq > opened_seq),
    constraint resource_closed_whole check (
        (closed_seq is null) = (closed_at is null) and (closed_seq is null) = (closed_lease_left_ms is null))
) with (fillfactor = 50);

-- Every opening, with what it replaced. takeover: the opening before it had not been closed. The columns
-- from folded_seq on are filled when the opening's mark is folded, with what the mark said of its close.
create table fence.opening (
    seq                           bigint           not null,
    resource                      text collate "C" not null,
    fence                         bigint           not null,
    holder                        uuid             not null,
    at                            timestamptz      not null,
    valid_until                   timestamptz      not null,
    minted                        boolean          not null,
    takeover                      boolean          not null,
    previous_seq                  bigint,
    previous_fence                bigint,
    previous_holder               uuid,
    previous_valid_until          timestamptz,
    previous_closed_seq           bigint,
    previous_closed_at            timestamptz,
    previous_closed_lease_left_ms bigint,
    folded_seq                    bigint,
    folded_at                     timestamptz,
    closed_seq                    bigint,
    closed_at                     timestamptz,
    closed_lease_left_ms          bigint,
    constraint opening_key primary key (seq),
    constraint opening_fence_once unique (resource, fence),
    constraint opening_fence_grows check (fence > previous_fence),
    constraint opening_takeover_is_unclosed check (
        takeover = (previous_fence is not null and previous_closed_seq is null)),
    -- Only a closed mark is folded, and an opening learns of its close by the fold alone.
    constraint opening_folded_after_close check (seq < closed_seq and closed_seq < folded_seq),
    constraint opening_folded_whole check (
        (folded_seq is null) = (folded_at is null) and (folded_seq is null) = (closed_seq is null)
        and (folded_seq is null) = (closed_at is null) and (folded_seq is null) = (closed_lease_left_ms is null))
);
-- fence.open_next asks whether a holder has opened before, also where its resource was opened a million times;
-- fence.openings reads a holder's in the order of their numbers.
create index opening_by_holder on fence.opening (holder, seq);

-- The durable row of a refused write: what was shown, what the guard saw the first time, and what the
-- write would have done. A repeat raises attempts; it adds no row. request is the nil UUID where the
-- operation has no request id.
create table fence.refusal (
    seq              bigint           not null default nextval('fence.seq'),
    resource         text collate "C" not null,
    presented_fence  bigint           not null,
    presented_holder uuid             not null,
    operation        text             not null,
    request          uuid             not null,
    reason           text             not null,
    observed_fence   bigint           not null,
    observed_holder  uuid,
    write            jsonb            not null,
    attempts         bigint           not null default 1,
    first_at         timestamptz      not null default clock_timestamp(),
    last_at          timestamptz      not null default clock_timestamp(),
    constraint refusal_key primary key (seq),
    constraint refusal_once unique (resource, presented_fence, presented_holder, operation, request, reason),
    constraint refusal_operation_bounded check (octet_length(operation) between 1 and 128),
    constraint refusal_write_bounded check (octet_length(write::text) <= 8192),
    constraint refusal_counted check (attempts >= 1 and last_at >= first_at),
    -- S7: a refusal is true. observed_fence is 0 where nothing had been opened.
    constraint refusal_true check (case reason
        when 'stale'    then observed_fence > presented_fence
        when 'not open' then observed_fence < presented_fence
        when 'conflict' then observed_fence = presented_fence
                             and observed_holder is not null and observed_holder <> presented_holder
        when 'closed'   then observed_fence = presented_fence
                             and observed_holder is not null and observed_holder = presented_holder
        else false end)
);
-- An index for each filter of fence.refusals, in the order of its pages.
create index refusal_of_resource on fence.refusal (resource, seq);
create index refusal_of_holder on fence.refusal (presented_holder, seq);
create index refusal_of_reason on fence.refusal (reason, seq);
create index refusal_of_time on fence.refusal (first_at);

-- Where the bounded jobs of an operator go on: each call looks at some rows after the ones that the call
-- before it looked at, and a pass that has come to the end begins anew. audit_from: everything that the
-- guard kept of openings that were still the newest of their resource at this number, or later, is there.
create table fence.retention (
    job        text             not null,
    after_seq  bigint           not null default 0,
    after_name text collate "C" not null default '',
    audit_from bigint           not null default 0,
    constraint retention_key primary key (job)
);
insert into fence.retention (job) values ('prune_refusals'), ('prune_openings'), ('fold');

-- The functions of other schemas that say which openings must stay: fence.prune_openings asks each of them.
create table fence.keeper (
    function_name text not null,
    constraint keeper_key primary key (function_name)
);

-- S4 and S5, also against a hand at the keyboard: a mark never goes down and is never just deleted, one
-- number never changes its holder, and closed never heals. fence.fold alone deletes marks, and only what was
-- closed and is below the floor: the floor then refuses whom the mark would have refused.
create function fence.keep_resource() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'UPDATE' and new.resource = old.resource
       and (new.fence > old.fence
            or new.fence = old.fence and new.holder = old.holder and old.closed_seq is null) then
        return new;
    end if;
    if tg_op = 'DELETE' and current_setting('fence.job', true) = 'fold' then
        if old.closed_seq is not null and old.fence < (select f.fence from fence.floor f) then
            return old;
        end if;
    end if;
    raise exception using
        errcode = 'ZF005',
        message = 'a mark never goes down and is never deleted',
        hint = 'a lower mark would admit writes of holders that have been overtaken';
end $$;

-- The floor stands for every mark that was folded: it only rises.
create function fence.keep_floor() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'UPDATE' and new.fence >= old.fence then
        return new;
    end if;
    raise exception using
        errcode = 'ZF005',
        message = 'the floor never goes down and is never deleted',
        hint = 'a lower floor would admit writes of holders that have been overtaken';
end $$;

-- Openings are what an audit holds marks against. They are only ever added; a fold tells one of its close,
-- once, and fence.prune_openings takes away what is not the newest of a resource that has a mark.
create function fence.keep_opening() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
    v_told constant text[] := array['folded_seq', 'folded_at', 'closed_seq', 'closed_at', 'closed_lease_left_ms'];
begin
    if tg_op = 'UPDATE' and current_setting('fence.job', true) = 'fold' then
        if old.folded_seq is null and to_jsonb(new) - v_told = to_jsonb(old) - v_told then
            return new;
        end if;
    elsif tg_op = 'DELETE' and current_setting('fence.job', true) = 'prune_openings' then
        if not exists (select from fence.resource r where r.resource = old.resource and r.fence <= old.fence) then
            return old;
        end if;
    end if;
    raise exception using errcode = 'ZF005', message = 'openings are only ever added',
        hint = 'fence.prune_openings takes away those that nothing refers to any more';
end $$;

create trigger floor_keeps before update or delete on fence.floor
    for each row execute function fence.keep_floor();
create trigger floor_keeps_all before truncate on fence.floor
    for each statement execute function fence.keep_floor();
create trigger opening_keeps before update or delete on fence.opening
    for each row execute function fence.keep_opening();
create trigger opening_keeps_all before truncate on fence.opening
    for each statement execute function fence.keep_opening();
create trigger resource_keeps before update or delete on fence.resource
    for each row execute function fence.keep_resource();
create trigger resource_keeps_all before truncate on fence.resource
    for each statement execute function fence.keep_resource();

-- What a holder shows: the same three words as in Redis and in Rust.
create type fence.permit as (resource text, fence bigint, holder uuid);
