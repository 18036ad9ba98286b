//! A page of the history costs what is on it, however long the history: no filter makes Postgres read a table from one
//! end to the other. Judged by what Postgres counts for the very call: sequential scans, and rows fetched.
//!
//! `HISTORY_ROWS=10000000` tries it with ten million entries; that takes minutes to make.

use promises::World;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Entries, unless `HISTORY_ROWS` says otherwise. There is a hold and a refusal to every fourth of them, and behind them
/// as many holds that are open, save a few that are dead and not given back.
const ROWS: i64 = 200_000;
const PAGE: i64 = 50;

/// The most rows that a page may fetch of its table: those on it, the bounds of its time with what
/// `credit.numbers_between` adds to them, and some that other filters leave out.
const FETCHED: i64 = PAGE * 4 + 2 * 10_000;

/// Scans of the history's tables in this transaction, and the rows that were fetched of them.
pub(crate) async fn counted(tx: &mut PgConnection) -> (i64, i64) {
    sqlx::query_as(include_str!("sql/scans.sql"))
        .fetch_one(tx)
        .await
        .unwrap()
}

/// A history of a year: half of it of one hot account, everything else of a thousand others.
async fn year(world: &World) -> i64 {
    let rows = match std::env::var("HISTORY_ROWS") {
        Ok(rows) => rows.parse().expect("HISTORY_ROWS is a number"),
        Err(_) => ROWS,
    };
    let mut connection = world.pool().acquire().await.unwrap();
    sqlx::query("set statement_timeout = 0")
        .execute(&mut *connection)
        .await
        .unwrap();
    let year = format!(
        "select set_config('history.rows', '{rows}', false); {}",
        include_str!("sql/year.sql")
    );
    sqlx::raw_sql(AssertSqlSafe(year))
        .execute(&mut *connection)
        .await
        .unwrap();
    rows
}

/// The filters, each alone, and together. Arguments after the three that all have.
const ENTRIES: &[(&str, &str)] = &[
    ("null", ""),
    ("'hot'", ""),
    ("'user:1'", ""),
    ("'nobody'", ""),
    ("null", ", p_resource => 'resource:7'"),
    (
        "null",
        ", p_holder => '00000000-0000-4000-8000-000000000007'",
    ),
    ("null", ", p_since => '2026-12-01'"),
    ("null", ", p_until => '2026-01-02'"),
    ("null", ", p_since => '2026-07-01', p_until => '2026-07-02'"),
    ("null", ", p_since => '2030-01-01'"),
    ("'hot'", ", p_since => '2026-12-01'"),
    ("'hot'", ", p_until => '2026-01-02'"),
    ("'hot'", ", p_resource => 'resource:7'"),
    (
        "'hot'",
        ", p_resource => 'resource:7', p_since => '2026-12-01'",
    ),
];

/// How many rows the page has.
async fn assert_paged(tx: &mut PgConnection, call: &str) -> i64 {
    let before = counted(tx).await;
    let found: i64 = sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from {call}")))
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    let after = counted(tx).await;
    assert!(found <= PAGE, "{call}: {found}");
    assert_eq!(
        after.0 - before.0,
        0,
        "{call}: read from one end to the other"
    );
    assert!(
        after.1 - before.1 <= FETCHED,
        "{call}: fetched {}",
        after.1 - before.1
    );
    found
}

#[tokio::test]
async fn no_page_of_any_filter_reads_a_table_from_one_end_to_the_other() {
    let world = World::new().await;
    let rows = year(&world).await;
    let mut connection = world.pool().acquire().await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    // It is seen at all: else nothing below could fail.
    let before = counted(&mut tx).await;
    sqlx::query("select count(*) from credit.entry where change = 42")
        .execute(&mut *tx)
        .await
        .unwrap();
    assert!(counted(&mut tx).await.0 > before.0);

    for after in [0, rows / 2, rows] {
        for (account, filters) in ENTRIES {
            for read in ["entries", "holds", "refusals"] {
                let call = format!("credit.{read}({account}, {after}, {PAGE}{filters})");
                let found = assert_paged(&mut tx, &call).await;
                // Else a filter could be fast because it finds nothing.
                let is_none = account.contains("nobody") || filters.contains("2030");
                assert!(after > 0 || is_none == (found == 0), "{call}: {found}");
            }
        }
        for state in ["open", "captured", "released", "void", "expired"] {
            for account in ["null", "'hot'", "'user:1'"] {
                if account != "null" && after == rows && state != "open" {
                    // Many of the account, many that ended so, and nothing behind the year is both: the limit that
                    // `credit.entries` names.
                    continue;
                }
                let call =
                    format!("credit.holds({account}, {after}, {PAGE}, p_state => '{state}')");
                let found = assert_paged(&mut tx, &call).await;
                // Behind the year there are those alone that are so by the predicate.
                let is_none = after == rows && matches!(state, "captured" | "released");
                assert!(
                    account != "null" || is_none == (found == 0),
                    "{call}: {found}"
                );
            }
        }
        for reason in ["stale", "closed", "not open"] {
            let call = format!("credit.refusals(null, {after}, {PAGE}, p_reason => '{reason}')");
            assert_paged(&mut tx, &call).await;
        }
    }

    // Nor does the read before every charge, where nothing was paid.
    let call = "credit.charged('hot', 'another query', '-infinity') c where c > 0";
    assert_eq!(assert_paged(&mut tx, call).await, 0);
}
