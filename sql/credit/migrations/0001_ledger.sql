-- The ledger's tables. Amounts are whole credits. Names and purposes are their bytes: their columns are of the collation
-- C, and each function compares its arguments as C, whatever collation they come with. A collation that takes two
-- spellings for one would take two accounts for one, or a charge for another's replay.

-- User accounts carry their balance, and what of it is held; that is the row that charges and holds of one
-- account wait for. The system accounts (issued, spent) carry none: every charge would wait for them.
create table credit.account (
    id        bigint generated always as identity,
    name      text collate "C" not null,
    is_system boolean          not null default false,
    balance   bigint           not null default 0,
    held      bigint           not null default 0,
    floor     bigint           not null default 0,
    -- No hold of the account up to this number will become void any more: see credit.give_back_void.
    settled_seq bigint         not null default 0,
    opened_at timestamptz      not null default clock_timestamp(),
    frozen_at timestamptz,
    closed_at timestamptz,
    constraint account_key primary key (id),
    constraint account_name_once unique (name),
    constraint account_name_bounded check (octet_length(name) between 1 and 512),
    constraint account_held_not_negative check (held >= 0),
    constraint account_above_floor check (balance - held >= floor),
    constraint account_floor_not_positive check (floor <= 0),
    constraint account_closed_is_empty check (closed_at is null or balance = 0 and held = 0),
    constraint account_system_carries_nothing check (
        not is_system or balance = 0 and held = 0 and frozen_at is null and closed_at is null)
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
    purpose       text collate "C" not null,
    -- A charge that captured a hold names the hold, a refund the charge that it gives back: by request id.
    hold          uuid,
    refund_of     uuid,
    resource      text collate "C",
    fence         bigint,
    holder        uuid,
    at            timestamptz      not null default clock_timestamp(),
    constraint entry_key primary key (seq),
    -- S6: at most one entry per request id.
    constraint entry_request_once unique (request),
    constraint entry_operation_known check (operation in ('grant', 'charge', 'refund')),
    constraint entry_direction check (case operation when 'charge' then change < 0 else change > 0 end),
    constraint entry_hold_is_charged check (hold is null or operation = 'charge'),
    constraint entry_refund_is_of_a_charge check ((refund_of is null) = (operation <> 'refund')),
    constraint entry_moves_between_two check (account <> counterpart),
    constraint entry_purpose_bounded check (octet_length(purpose) <= 512),
    -- Whatever takes credits away is guarded; grants and refunds are decided inside the database.
    constraint entry_guarded check (
        (fence is null) = (operation <> 'charge') and (resource is null) = (fence is null)
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

-- A hold is captured by one entry; the second line behind the hold's own resolution.
create unique index entry_captures_once on credit.entry (hold) where hold is not null;
create index entry_refunds on credit.entry (refund_of) where refund_of is not null;
-- "Is it paid for?", the read before every charge (credit.charged).
create index entry_by_purpose on credit.entry (account, purpose, at) where operation = 'charge';
-- History: an index for each filter of credit.entries, in the order of its pages.
create index entry_by_account on credit.entry (account, seq);
create index entry_by_resource on credit.entry (resource, seq) where resource is not null;
create index entry_by_holder on credit.entry (holder, seq) where holder is not null;
create index entry_by_time on credit.entry (at);

-- Credits of an account that are set aside for one charge. The row of an open hold is changed once, when the
-- hold is resolved. Void and expired holds are so by a predicate (credit.hold_state) from that moment on,
-- whether or not somebody has given them back yet.
create table credit.hold (
    seq          bigint           not null,
    request      uuid             not null,
    account      bigint           not null,
    amount       bigint           not null,
    purpose      text collate "C" not null,
    resource     text collate "C" not null,
    fence        bigint           not null,
    holder       uuid             not null,
    at           timestamptz      not null,
    expires_at   timestamptz      not null,
    resolution   text,
    resolved_seq bigint,
    resolved_at  timestamptz,
    -- By which request, and under which opening: for 'captured' and 'released'.
    resolved_by     uuid,
    resolved_fence  bigint,
    resolved_holder uuid,
    captured     bigint,
    constraint hold_key primary key (seq),
    constraint hold_request_once unique (request),
    constraint hold_resolved_by_once unique (resolved_by),
    constraint hold_amount_positive check (amount > 0),
    constraint hold_purpose_bounded check (octet_length(purpose) <= 512),
    constraint hold_expires_later check (expires_at > at),
    constraint hold_resolution_known check (resolution in ('captured', 'released', 'expired', 'void')),
    constraint hold_resolved_after check (resolved_seq > seq),
    constraint hold_resolved_whole check (
        (resolution is null) = (resolved_seq is null) and (resolution is null) = (resolved_at is null)),
    constraint hold_resolved_guarded check (
        (resolved_by is not null) = coalesce(resolution in ('captured', 'released'), false)
        and (resolved_fence is null) = (resolved_by is null) and (resolved_holder is null) = (resolved_by is null)),
    constraint hold_captured_within check (
        (captured is not null) = coalesce(resolution = 'captured', false) and captured between 1 and amount)
) with (fillfactor = 70);

-- Resolved at most once, also against a hand at the keyboard.
create function credit.keep_hold() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
    v_resolving constant text[] := array[
        'resolution', 'resolved_seq', 'resolved_at', 'resolved_by', 'resolved_fence', 'resolved_holder', 'captured'];
begin
    if tg_op = 'UPDATE' and old.resolution is null and new.resolution is not null
       and to_jsonb(new) - v_resolving = to_jsonb(old) - v_resolving then
        return new;
    end if;
    raise exception using errcode = 'ZF005', message = 'a hold is resolved once, and never deleted';
end $$;
create trigger hold_keeps before update or delete on credit.hold
    for each row execute function credit.keep_hold();
create trigger hold_keeps_all before truncate on credit.hold
    for each statement execute function credit.keep_hold();

-- What has to be given back when an account is locked, what keeps openings from being pruned, what a sweep finds.
create index hold_open_of_account on credit.hold (account, seq) where resolution is null;
create index hold_expires_of_account on credit.hold (account, expires_at) where resolution is null;
create index hold_open_of_opening on credit.hold (resource, fence) where resolution is null;
create index hold_open_by_expiry on credit.hold (expires_at) where resolution is null;
-- Which openings took over, and whose holds are void by that. Of the others it has nothing, and they cost it nothing.
create index opening_takes_over on fence.opening (resource, previous_fence, previous_holder) where takeover;
-- History, as above.
create index hold_by_account on credit.hold (account, seq);
create index hold_by_resource on credit.hold (resource, seq);
create index hold_by_holder on credit.hold (holder, seq);
create index hold_by_time on credit.hold (at);
create index hold_by_resolution on credit.hold (resolution, seq) where resolution is not null;
create index hold_open_by_number on credit.hold (seq) where resolution is null;

-- Whether an open hold is void is read from openings: those must not be pruned before it is resolved. Not by
-- fence.keep_openings_by: the function comes with the set that is installed after this.
insert into fence.keeper (function_name) values ('credit.keeps_opening');

-- The refused writes of the ledger, with what each would have done. What else was refused is told in the
-- words of whoever called fence.admit: a row that only looks like the ledger's must not keep this view from
-- being read.
create view credit.refused_write as
    select r.seq, r.first_at, r.last_at, r.attempts, r.reason,
           r.operation, r.request,
           r.write ->> 'account' as account,
           (r.write ->> 'amount')::bigint as amount,
           r.write ->> 'purpose' as purpose,
           r.write ->> 'hold' as hold,
           r.resource, r.presented_fence, r.presented_holder, r.observed_fence, r.observed_holder
    from fence.refusal r
    -- One CASE, of which the planner believes that half of all rows pass, and reads a page in the order of its index.
    -- Of several conditions that it knows nothing about it would believe that next to none does.
    where case
        when jsonb_typeof(r.write -> 'account') = 'string' and octet_length(r.write ->> 'account') <= 512
             and jsonb_typeof(r.write -> 'purpose') = 'string'
             -- Only a number may be looked at as one; 1.0 is whole, and yet no text that reads as a bigint.
             and jsonb_typeof(r.write -> 'amount') = 'number'
        then (r.write -> 'amount')::numeric between 1 and 9223372036854775807
             and r.write ->> 'amount' ~ '^[0-9]+$'
        else false end;

-- The index for the one filter of credit.refusals that no index of the guard serves. An account's name is bounded;
-- what else somebody may write there is not, and must not be kept from being recorded.
create index refusal_of_account on fence.refusal ((write ->> 'account'), seq)
    where octet_length(write ->> 'account') <= 512;

-- What a ledger function answers; each function says which outcomes it has.
--   replayed       answered from an earlier call with the same request id
--   field          for 'request mismatch': what differs from that call
--   seq, at        the entry or the hold (applied); what is in the way (already charged, a hold's resolution)
--   balance_after  the account's balance after it, or as it stands where nothing was applied
--   held           what of that balance is held; with void holds, where it was enough with them
--   allowed        the most that would have been taken (exceeds hold, exceeds charge)
--   until          when a hold expires; for 'busy', when it may be tried again
--   state          how a hold stands (credit.hold): a replayed one may have ended
--   mark, mark_holder  for a refusal by the guard: what it saw
create type credit.result as (
    outcome text, replayed boolean, field text, seq bigint, at timestamptz, balance_after bigint, held bigint,
    allowed bigint, until timestamptz, state text, mark bigint, mark_holder uuid);

-- One of several charges that are sent together: its place among them, the permit, and what is to be charged.
create type credit.numbered_charge as (
    n bigint, resource text, fence bigint, holder uuid, request uuid, account text, amount bigint, purpose text);
