-- The ledger's tables. Amounts are whole credits.

-- User accounts carry their balance; it is the row that charges of one account wait for. The system
-- accounts (issued, spent) carry none: every charge would wait for them.
create table credit.account (
    id        bigint generated always as identity,
    name      text collate "C" not null,
    is_system boolean          not null default false,
    balance   bigint           not null default 0,
    floor     bigint           not null default 0,
    opened_at timestamptz      not null default clock_timestamp(),
    constraint account_key primary key (id),
    constraint account_name_once unique (name),
    constraint account_name_bounded check (octet_length(name) between 1 and 512),
    constraint account_above_floor check (balance >= floor),
    constraint account_floor_not_positive check (floor <= 0),
    constraint account_system_carries_nothing check (not is_system or balance = 0)
) with (fillfactor = 50);

insert into credit.account (name, is_system) values ('issued', true), ('spent', true);

-- Every entry moves change credits into account (out of it where change is negative) and the opposite
-- out of counterpart, so that the sum over all accounts is 0 by construction. Entries are only ever
-- added. No foreign key: its check would lock the system account's row in every charge; the functions
-- look the accounts up, and credit.audit holds the entries against them.
create table credit.entry (
    seq           bigint           not null,
    request       uuid             not null,
    operation     text             not null,
    account       bigint           not null,
    counterpart   bigint           not null,
    change        bigint           not null,
    balance_after bigint           not null,
    purpose       text             not null,
    resource      text collate "C",
    fence         bigint,
    holder        uuid,
    at            timestamptz      not null default clock_timestamp(),
    constraint entry_key primary key (seq),
    -- S6: at most one entry per request id.
    constraint entry_request_once unique (request),
    constraint entry_operation_known check (operation in ('grant', 'charge')),
    constraint entry_direction check (case operation when 'grant' then change > 0 else change < 0 end),
    constraint entry_moves_between_two check (account <> counterpart),
    constraint entry_purpose_bounded check (octet_length(purpose) <= 512),
    -- Whatever takes credits away is guarded; a grant is decided without reading the ledger.
    constraint entry_guarded check (
        (fence is null) = (operation = 'grant') and (resource is null) = (fence is null)
        and (holder is null) = (fence is null))
);

create function credit.keep_entry() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
    raise exception using errcode = 'ZF005', message = 'entries are only ever added',
        hint = 'an entry is undone by another entry';
end $$;
create trigger entry_keeps before update or delete on credit.entry
    for each row execute function credit.keep_entry();
create trigger entry_keeps_all before truncate on credit.entry
    for each statement execute function credit.keep_entry();

create index entry_by_account on credit.entry (account, seq);
-- "Is it paid for?", the read before every charge (credit.charged).
create index entry_by_purpose on credit.entry (account, purpose, at) where operation = 'charge';

-- The refused writes of the ledger, with what each would have done. What else was refused is told in the
-- words of whoever called fence.admit: a row that only looks like the ledger's must not keep this view from
-- being read.
create view credit.refused_write as
    select r.seq, r.first_at, r.last_at, r.attempts, r.reason,
           r.operation, r.request,
           r.write ->> 'account' as account,
           (r.write ->> 'amount')::bigint as amount,
           r.write ->> 'purpose' as purpose,
           r.resource, r.presented_fence, r.presented_holder, r.observed_fence, r.observed_holder
    from fence.refusal r
    where jsonb_typeof(r.write -> 'account') = 'string'
      and jsonb_typeof(r.write -> 'purpose') = 'string'
      -- Only a number may be looked at as one; 1.0 is whole, and yet no text that reads as a bigint.
      and case when jsonb_typeof(r.write -> 'amount') = 'number' then
              (r.write -> 'amount')::numeric between 1 and 9223372036854775807
              and r.write ->> 'amount' ~ '^[0-9]+$'
          end;

-- What a ledger function answers; each function says which outcomes it has.
--   replayed       answered from an earlier call with the same request id
--   field          for 'request mismatch': what differs from that call
--   seq, at        the entry (applied)
--   balance_after  the account's balance after the entry, or as it stands where nothing was applied
--   mark, mark_holder  for a refusal by the guard: what it saw
create type credit.result as (
    outcome text, replayed boolean, field text, seq bigint, at timestamptz, balance_after bigint,
    mark bigint, mark_holder uuid);
