//! What the tests of protected tables share: a world with some, sessions that are admitted, and the one way
//! to be refused by a trigger.

use std::fmt::Debug;

use fence_guard::{Permit, TriggerReason, TriggerRefusal};
use promises::{Session, World, permit};
use sqlx::{AssertSqlSafe, Connection};

/// Not admitted for the row's resource.
pub(crate) const NOT_ADMITTED: TriggerReason = TriggerReason::NotAdmitted;

/// A world with the tables of `sql/tables.sql`.
pub(crate) async fn world() -> World {
    let world = World::new().await;
    let tables = sqlx::raw_sql(include_str!("sql/tables.sql"));
    tables.execute(world.pool()).await.unwrap();
    world
}

/// A session, and permits of these resources that it has opened.
pub(crate) async fn opened(world: &World, names: &[&str]) -> (Session, Vec<Permit>) {
    let mut session = world.session().await;
    let permits: Vec<Permit> = names.iter().map(|name| permit(name, 1)).collect();
    for mine in &permits {
        assert_eq!(session.open(mine).await.unwrap().outcome, "opened");
    }
    (session, permits)
}

/// Begins a transaction that is admitted for these.
pub(crate) async fn begin(session: &mut Session, permits: &[&Permit]) {
    session.run("begin").await;
    let answer = session.admit(permits).await.unwrap();
    assert_eq!(answer.outcome, "admitted");
}

/// What a trigger said.
///
/// # Panics
/// When the statement succeeded, or failed otherwise.
pub(crate) fn refused<T: Debug>(outcome: Result<T, sqlx::Error>) -> TriggerRefusal {
    let error = outcome.expect_err("a trigger had to refuse");
    TriggerRefusal::of(&error).unwrap_or_else(|| panic!("a trigger had to refuse: {error}"))
}

/// How a permit is carried in the setting.
pub(crate) fn carried(permit: &Permit) -> String {
    format!(
        "{} {} {}",
        permit.fence(),
        permit.holder().as_uuid(),
        permit.resource()
    )
}

/// Sets by hand what an admission would have set.
pub(crate) async fn forge(session: &mut Session, setting: &str) {
    let set = sqlx::query("select set_config('fence.admitted', $1, true)").bind(setting);
    set.execute(&mut session.connection).await.unwrap();
}

/// How many rows a query finds.
pub(crate) async fn count(world: &World, query: &'static str) -> i64 {
    sqlx::query_scalar(query)
        .fetch_one(world.pool())
        .await
        .unwrap()
}

/// Calls a function that says whether it changed anything.
pub(crate) async fn changed(session: &mut Session, call: &str) -> bool {
    sqlx::query_scalar(AssertSqlSafe(format!("select {call}")))
        .fetch_one(&mut session.connection)
        .await
        .unwrap()
}

/// What the guard says is missing.
pub(crate) async fn gaps(world: &World) -> Vec<String> {
    sqlx::query_scalar(
        "select subject || ' ' || finding from fence.bypass() where kind = 'trigger' order by 1",
    )
    .fetch_all(world.pool())
    .await
    .unwrap()
}

/// What `fence.bypass` tells after these statements that it did not tell before, in order: kind, subject, finding.
/// The statements are undone.
pub(crate) async fn told_after(world: &World, statements: &str) -> Vec<String> {
    let told = "select format('%s: %s %s', kind, subject, finding) from fence.bypass() order by 1";
    let mut connection = world.pool().acquire().await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    let before: Vec<String> = sqlx::query_scalar(told).fetch_all(&mut *tx).await.unwrap();
    let statements = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()));
    statements.execute(&mut *tx).await.unwrap();
    let mut after: Vec<String> = sqlx::query_scalar(told).fetch_all(&mut *tx).await.unwrap();
    tx.rollback().await.unwrap();
    after.retain(|row| !before.contains(row));
    after
}
