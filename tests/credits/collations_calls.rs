//! A service's names with the collations that its columns happen to have, and a call of each function with them.

use promises::Session;
use sqlx::AssertSqlSafe;

/// An account, a resource and a purpose as a service keeps them, with the request ids that it uses for them.
pub(crate) async fn keep(session: &mut Session, number: usize, collations: [&str; 3]) {
    let [account, resource, purpose] = collations;
    let table = format!(
        "drop table if exists mine;
         create table mine (a text {account}, r text {resource}, p text {purpose},
             holder uuid default gen_random_uuid(), granted uuid default gen_random_uuid(),
             charged uuid default gen_random_uuid(), held uuid default gen_random_uuid(),
             captured uuid default gen_random_uuid(), freed uuid default gen_random_uuid(),
             released uuid default gen_random_uuid());
         insert into mine values ('Alice:{number}', 'Report:{number}', 'Query')"
    );
    session.run(AssertSqlSafe(table)).await;
}

/// Every call has to answer what it answers to names of the collation C.
pub(crate) async fn assert_answers(session: &mut Session, whose: &str) {
    for (call, expected) in CALLS {
        let query = format!("select ({call})::text from mine");
        let answer: Option<String> = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(&mut session.connection)
            .await
            .unwrap_or_else(|error| panic!("{whose}: {call}: {error}"));
        assert_eq!(
            answer.as_deref().unwrap_or("null"),
            *expected,
            "{whose}: {call}"
        );
    }
}

/// Another spelling is another account, resource or purpose, to whoever replays, too.
const CALLS: &[(&str, &str)] = &[
    ("credit.open_account(a)", "true"),
    ("credit.open_account(upper(a))", "true"),
    ("credit.open_account(a)", "false"),
    ("(credit.grant(granted, a, 100, p)).outcome", "applied"),
    ("(credit.grant(granted, a, 100, p)).replayed", "true"),
    ("(credit.grant(granted, upper(a), 100, p)).field", "account"),
    ("(credit.grant(granted, a, 100, upper(p))).field", "purpose"),
    ("credit.balance(a)", "100"),
    ("credit.balance(upper(a))", "0"),
    ("(select s.balance from credit.standing(a) s)", "100"),
    ("(select s.balance from credit.standing(upper(a)) s)", "0"),
    ("(fence.open(r, 1, holder, '1 min')).outcome", "opened"),
    ("(fence.open(upper(r), 1, holder, '1 min')).outcome", "opened"),
    ("(credit.charge(r, 1, holder, charged, a, 2, p)).outcome", "applied"),
    ("(credit.charge(r, 1, holder, charged, a, 2, p)).replayed", "true"),
    ("(credit.charge(r, 1, holder, charged, upper(a), 2, p)).field", "account"),
    ("(credit.charge(r, 1, holder, charged, a, 2, upper(p))).field", "purpose"),
    ("(credit.charge(upper(r), 1, holder, charged, a, 2, p)).field", "resource"),
    (
        "(credit.charge(r, 1, holder, gen_random_uuid(), lower(a), 2, p)).outcome",
        "unknown account",
    ),
    ("credit.charged(a, p, '-infinity')", "2"),
    ("credit.charged(a, upper(p), '-infinity')", "0"),
    ("credit.charged(upper(a), p, '-infinity')", "0"),
    ("(credit.refund(gen_random_uuid(), charged, 1)).outcome", "applied"),
    ("(credit.hold(r, 1, holder, held, a, 3, p, '1 h')).outcome", "applied"),
    ("(credit.hold(r, 1, holder, held, a, 3, p, '1 h')).replayed", "true"),
    ("(credit.hold(r, 1, holder, held, upper(a), 3, p, '1 h')).field", "account"),
    ("(credit.hold(r, 1, holder, held, a, 3, upper(p), '1 h')).field", "purpose"),
    ("(credit.hold(upper(r), 1, holder, held, a, 3, p, '1 h')).field", "resource"),
    ("(credit.capture(upper(r), 1, holder, captured, held, 3)).outcome", "other resource"),
    ("(credit.capture(r, 1, holder, captured, held, 3)).outcome", "applied"),
    ("(credit.capture(r, 1, holder, captured, held, 3)).replayed", "true"),
    ("(credit.capture(upper(r), 1, holder, captured, held, 3)).field", "resource"),
    ("(credit.hold(r, 1, holder, freed, a, 1, p, '1 h')).outcome", "applied"),
    ("(select count(*) from credit.holds(a, 0, 9, 'open', r))", "1"),
    ("(select count(*) from credit.holds(upper(a), 0, 9))", "0"),
    ("(credit.release(upper(r), 1, holder, released, freed)).outcome", "other resource"),
    ("(credit.release(r, 1, holder, released, freed)).outcome", "applied"),
    ("(credit.release(r, 1, holder, released, freed)).replayed", "true"),
    ("(credit.release(upper(r), 1, holder, released, freed)).field", "resource"),
    // Rides in the opening that is there, and in one of its own that it closes.
    (
        "(credit.charge_once(r, 1, holder, gen_random_uuid(), a, 1, p)).outcome",
        "already charged",
    ),
    (
        "(credit.charge_once(r, 1, holder, gen_random_uuid(), a, 1, upper(p))).outcome",
        "applied",
    ),
    (
        "(credit.charge_once(lower(r), 1, holder, gen_random_uuid(), a, 1, lower(p))).outcome",
        "applied",
    ),
    ("(fence.open(lower(r), 1, holder, '1 min')).outcome", "closed"),
    (
        "(select count(*) from credit.charge_together(array[r, upper(r)], array[1, 1], array[holder, holder],
            array[charged, gen_random_uuid()], array[a, a], array[2, 1], array[p, p]))",
        "2",
    ),
    (
        "(select count(*) from credit.charge_together(array[r], array[1], array[holder], array[gen_random_uuid()],
            array[lower(a)], array[1], array[p]))",
        "0",
    ),
    ("(credit.charge(r, 2, holder, gen_random_uuid(), a, 2, p)).outcome", "not open"),
    ("(select count(*) from credit.refusals(a, 0, 9, 'not open', r))", "1"),
    ("(select count(*) from credit.refusals(upper(a), 0, 9))", "0"),
    ("(select count(*) from credit.entries(a, 0, 99, r))", "3"),
    ("(select count(*) from credit.entries(upper(a), 0, 99))", "0"),
    ("(credit.freeze_account(lower(a))).outcome", "unknown account"),
    ("(credit.freeze_account(a)).outcome", "changed"),
    ("(credit.unfreeze_account(a)).outcome", "changed"),
    ("(credit.set_floor(a, -1)).outcome", "changed"),
    ("(credit.close_account(upper(a))).outcome", "changed"),
    ("(credit.close_account(a)).outcome", "not empty"),
    ("(select count(*) from credit.audit())", "0"),
];
