-- WRONG ON PURPOSE. The ledger of the protections that fail: balances and entries are kept properly, in
-- one transaction each; what is missing is only what each protection says that it lacks.

create table story.account (
    name    text   not null,
    balance bigint not null,
    constraint account_key primary key (name)
);

create table story.entry (
    seq           bigint generated always as identity,
    account       text        not null,
    amount        bigint      not null,
    balance_after bigint      not null,
    purpose       text        not null,
    request       uuid,
    fence         bigint,
    at            timestamptz not null default clock_timestamp(),
    constraint entry_key primary key (seq),
    constraint entry_request_once unique (request)
);
create index entry_by_account on story.entry (account, seq);

-- fence-on-write: the highest fence that has written. Nobody opens.
create table story.mark (
    resource text   not null,
    fence    bigint not null,
    constraint mark_key primary key (resource)
);

create table story.refusal (
    seq             bigint generated always as identity,
    resource        text        not null,
    presented_fence bigint      not null,
    observed_fence  bigint      not null,
    account         text        not null,
    amount          bigint      not null,
    purpose         text        not null,
    at              timestamptz not null default clock_timestamp(),
    constraint refusal_key primary key (seq)
);
