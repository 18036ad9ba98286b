//! A private server, both schemas, and a role of the application that has nothing but
//! `credit.grant_to`.

use promises::{Session, World};
use sqlx::{Connection, PgConnection, PgPool, SqlSafeStr};
use testbed::{Options, PostgresServer};

/// The functions that a role may call after `credit.grant_to`, and that run with their owner's rights, in the
/// order of their names.
pub(crate) const OUTER: [&str; 39] = [
    "credit.audit",
    "credit.balance",
    "credit.capture",
    "credit.charge",
    "credit.charge_once",
    "credit.charge_together",
    "credit.charged",
    "credit.close_account",
    "credit.entries",
    "credit.freeze_account",
    "credit.grant",
    "credit.hold",
    "credit.holds",
    "credit.open_account",
    "credit.refund",
    "credit.refusals",
    "credit.release",
    "credit.set_floor",
    "credit.standing",
    "credit.sweep_holds",
    "credit.unfreeze_account",
    "fence.admit",
    "fence.audit",
    "fence.audit_from",
    "fence.blockers",
    "fence.bypass",
    "fence.check_write",
    "fence.close",
    "fence.family",
    "fence.gaps",
    "fence.horizon",
    "fence.mark",
    "fence.open",
    "fence.open_next",
    "fence.openings",
    "fence.protectable",
    "fence.refusals",
    "fence.stats",
    "fence.versions",
];

/// What such a role may also call, with its own rights: protecting a table that it owns takes the first two to
/// be named in a trigger. All other functions are inner ones, or an operator's.
pub(crate) const AS_CALLER: [&str; 4] = [
    "fence.check_row",
    "fence.check_truncate",
    "fence.protect",
    "fence.unprotect",
];

/// A world whose application is not its owner.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) world: World,
    url: String,
    _server: PostgresServer,
}

impl App {
    /// Roles belong to a whole server, so this one is private.
    pub(crate) async fn start(options: &Options) -> App {
        let server = PostgresServer::start(options).unwrap();
        let world = World::at(server.url()).await;
        let role = sqlx::raw_sql(include_str!("sql/application_role.sql"));
        role.execute(world.pool()).await.unwrap();
        App {
            world,
            url: server.url().replace("postgres@", "app@"),
            _server: server,
        }
    }

    /// The URL that the application logs in with.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A call of each function of both schemas that is not among these.
    pub(crate) async fn calls_of_others(&self, given: &[impl AsRef<str>]) -> Vec<String> {
        let given: Vec<&str> = given.iter().map(AsRef::as_ref).collect();
        sqlx::query_scalar(include_str!("sql/inner_calls.sql"))
            .bind(given)
            .fetch_all(self.world.pool())
            .await
            .unwrap()
    }

    /// A connection of the application.
    pub(crate) async fn session(&self) -> Session {
        session(&self.url).await
    }
}

pub(crate) async fn session(url: &str) -> Session {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let pid = sqlx::query_scalar("select pg_backend_pid()");
    let pid = pid.fetch_one(&mut connection).await.unwrap();
    Session { connection, pid }
}

/// One column of text.
pub(crate) async fn texts(pool: &PgPool, query: impl SqlSafeStr) -> Vec<String> {
    sqlx::query_scalar(query).fetch_all(pool).await.unwrap()
}

/// Every row of every table of both schemas, as text, with the table that it stands in.
pub(crate) async fn every_row(pool: &PgPool) -> Vec<String> {
    let each = texts(pool, include_str!("sql/tables.sql")).await;
    let query = each.join(" union all ") + " order by 1";
    texts(pool, sqlx::AssertSqlSafe(query)).await
}
