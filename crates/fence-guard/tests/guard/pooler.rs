//! C32, and what sqlx's two steps become behind a transaction pooler: a statement is prepared on one
//! server connection and run on another, where its name is another statement.
//!
//! Eight callers share two server connections. Each pays and refunds in turns, and the rows are held
//! against what it meant.

use std::time::Duration;

use fence_guard::{Closed, Error, Guard, GuardOptions, OpenPermit, Store, StoreError};
use promises::{DONE_WITHIN, World, permit};
use testbed::{Options, PgBouncer, PostgresServer};
use tokio::task::JoinSet;

use crate::protected::count;
use crate::support::{pool, until_told};

const CALLERS: i32 = 8;
/// So many payments, and so many refunds, of each caller.
const CALLS: i32 = 200;
/// All of that takes seconds in itself, and many times as long on a busy machine.
const CALLED_WITHIN: Duration = Duration::from_secs(180);
/// How long the openings of these tests mean to hold.
const HOLD: Duration = Duration::from_secs(60);

/// A Postgres, and a pooler in front of it that has two connections to it.
struct Pooled {
    world: World,
    pooler: PgBouncer,
    _server: PostgresServer,
}

impl Pooled {
    async fn start() -> Pooled {
        let options = Options::throw_away().pgbouncer_config("default_pool_size", "2");
        let server = PostgresServer::start(&options).unwrap();
        let world = World::at(server.url()).await;
        let tables = sqlx::raw_sql(include_str!("two_operations.sql"));
        tables.execute(world.pool()).await.unwrap();
        Pooled {
            world,
            pooler: PgBouncer::start(&server, &options).unwrap(),
            _server: server,
        }
    }

    /// Lets all callers call, each through a pool of its own; every error of a call is kept, and
    /// its caller stops.
    async fn call(&self, options: GuardOptions) -> Vec<StoreError> {
        let mut callers = JoinSet::new();
        for who in 0..CALLERS {
            let store = Store::new(pool(self.pooler.url(), 1).await, options);
            callers.spawn(async move {
                for number in 0..CALLS {
                    call(&store, "select pay($1, $2)", who, number, 1).await?;
                    call(&store, "select refund($1, $2)", who, number, 2).await?;
                }
                Ok(())
            });
        }
        let outcomes = all(callers).await;
        outcomes.into_iter().filter_map(Result::err).collect()
    }

    /// How many rows are missing where somebody meant them, and how many stand where nobody did.
    async fn wrong_rows(&self) -> (i64, i64) {
        sqlx::query_as(include_str!("wrong_rows.sql"))
            .bind(CALLERS)
            .bind(CALLS)
            .fetch_one(self.world.pool())
            .await
            .unwrap()
    }
}

/// What all callers came to.
async fn all<T: Send + 'static>(callers: JoinSet<T>) -> Vec<T> {
    let all = tokio::time::timeout(CALLED_WITHIN, callers.join_all());
    all.await.expect("calls through the pooler do not end")
}

/// One call, whose answer tells which of the two was run.
async fn call(
    store: &Store,
    statement: &'static str,
    who: i32,
    number: i32,
    answer: i32,
) -> Result<(), StoreError> {
    let (ran,): (i32,) = store
        .call(sqlx::query_as(statement).bind(who).bind(number))
        .await?;
    if ran == answer {
        return Ok(());
    }
    Err(StoreError::Foreign {
        what: format!("{ran} instead of {answer}"),
    })
}

#[tokio::test]
async fn calls_through_a_transaction_pooler_are_never_mixed_up() {
    let pooled = Pooled::start().await;
    let errors = pooled.call(GuardOptions::pooled()).await;
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(pooled.wrong_rows().await, (0, 0));
}

/// Seen by an error that says so, or by a row in the wrong table. A missing row says nothing: a caller
/// stops at its first error, whatever that was.
#[tokio::test]
async fn canary_without_pooled_calls_the_pooler_mixes_statements_up() {
    let pooled = Pooled::start().await;
    let errors = pooled.call(GuardOptions::default()).await;
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let is_mixed_up = |text: &String| {
        ["does not exist", "already exists", "instead of"]
            .iter()
            .any(|sign| text.contains(sign))
    };
    let (_, misplaced) = pooled.wrong_rows().await;
    assert!(misplaced > 0 || told.iter().any(is_mixed_up), "{told:?}");
}

/// A whole section of the real functions through the pooler, many times at once.
#[tokio::test]
async fn open_begin_and_close_work_through_a_transaction_pooler() {
    let pooled = Pooled::start().await;
    let mut holders = JoinSet::new();
    for who in 0..CALLERS {
        let pool = pool(pooled.pooler.url(), 1).await;
        holders.spawn(section(
            Guard::with_options(pool, GuardOptions::pooled()),
            who,
        ));
    }
    for outcome in all(holders).await {
        outcome.unwrap();
    }
    for who in 0..CALLERS {
        let openings = pooled.world.openings(&name(who)).await;
        assert_eq!(openings.len(), 20);
        assert!(
            openings.iter().all(|opening| !opening.takeover),
            "{openings:?}"
        );
    }
    let paid = "select count(*) from paid where number between 1 and 20";
    let paid: i64 = sqlx::query_scalar(paid)
        .fetch_one(pooled.world.pool())
        .await
        .unwrap();
    assert_eq!(paid, i64::from(CALLERS) * 20);
    assert!(pooled.world.findings().await.is_empty());
}

/// Opens, writes and closes, under fence 1 to 20.
async fn section(guard: Guard, who: i32) -> Result<(), Error> {
    for number in 1..=20 {
        let mine = permit(&name(who), number);
        let open = guard.open(&mine, HOLD).await?;
        let mut tx = guard.begin(&open, "pay", uuid::Uuid::nil(), HOLD).await?;
        let number = i32::try_from(number).unwrap();
        let paid = sqlx::query("select pay($1, $2)").bind(who).bind(number);
        paid.persistent(false).execute(&mut *tx).await?;
        tx.commit().await?;
        close(&guard, &open).await?;
    }
    Ok(())
}

/// Closes, and again where the machine was so busy that more than the second went by which a close may stand still
/// before its COMMIT. It is no mix-up, and nothing was closed.
async fn close(guard: &Guard, open: &OpenPermit) -> Result<Closed, Error> {
    loop {
        match guard.close(open, 1).await {
            Err(Error::Store(StoreError::Failed(error))) if stood_still(&error) => {}
            outcome => return outcome,
        }
    }
}

fn stood_still(error: &sqlx::Error) -> bool {
    let answer = error.as_database_error();
    answer.and_then(|answer| answer.code()).as_deref() == Some("25P03")
}

fn name(who: i32) -> String {
    format!("user:{who}")
}

/// Through a pooler a close is three steps. Its holder stops before the last one: its successor must not wait for it.
#[tokio::test]
async fn a_close_that_stands_still_before_its_commit_is_ended_and_may_be_sent_again() {
    let pooled = Pooled::start().await;
    let pool = pool(pooled.pooler.url(), 1).await;
    let guard = Guard::with_options(pool.clone(), GuardOptions::pooled());
    let open = guard.open(&permit("r", 1), HOLD).await.unwrap();
    let mut tx = pool.begin().await.unwrap();
    let call = "select pg_backend_pid() from fence.close('r', 1, $1, 1)";
    let call = sqlx::query_scalar(call).bind(open.permit().holder().as_uuid());
    let pid: i32 = call.persistent(false).fetch_one(&mut *tx).await.unwrap();
    let ended = || async {
        let there = "select count(*) from pg_stat_activity where pid = $1";
        let there = sqlx::query_scalar(there).bind(pid);
        let there: i64 = there.fetch_one(pooled.world.pool()).await.unwrap();
        (there == 0).then_some(())
    };
    until_told("the end of the transaction", DONE_WITHIN, ended).await;
    let error = tx.commit().await.unwrap_err();
    assert!(stood_still(&error), "{error}");

    let closed = "select count(closed_seq) from fence.resource";
    assert_eq!(count(&pooled.world, closed).await, 0);
    assert_eq!(close(&guard, &open).await.unwrap(), Closed::Closed);
    assert_eq!(count(&pooled.world, closed).await, 1);
}

/// The second line of defence: the function itself notices that it is not the one that was meant.
#[tokio::test]
async fn a_function_that_is_run_for_another_one_raises() {
    let world = World::new().await;
    let wrong = sqlx::query("select fence.mark($1, $2)")
        .bind("r")
        .bind("open_account");
    let error = wrong.execute(world.pool()).await.unwrap_err();
    let error = StoreError::from(error);
    assert!(
        matches!(&error, StoreError::Misuse { sqlstate, .. } if sqlstate == "ZF003"),
        "{error}"
    );
}
