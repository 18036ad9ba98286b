-- What the ledger and the guard have recorded.
select
    (select count(*) from dataset.query where answer is not null) as answers,
    (select count(*) from dataset.query where answer is null) as unanswered,
    (select count(*) from credit.entry where operation = 'charge') as captures,
    (select coalesce(-sum(change), 0)::bigint from credit.entry where operation = 'charge') as credits,
    (select count(*) from credit.hold) as holds,
    (select count(*) from credit.hold h where credit.hold_state(h, clock_timestamp()) = 'released') as released,
    (select count(*) from credit.hold h where credit.hold_state(h, clock_timestamp()) = 'void') as void,
    (select count(*) from credit.hold h where credit.hold_state(h, clock_timestamp()) = 'expired') as expired,
    (select count(*) from credit.hold h where credit.hold_state(h, clock_timestamp()) = 'open') as open,
    (select count(*) from fence.opening) as openings,
    (select count(*) from fence.opening where takeover) as takeovers
