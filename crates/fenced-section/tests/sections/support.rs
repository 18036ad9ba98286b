//! What the tests share: sections with a database and a key prefix of their own, and a bare look at both
//! servers.

use std::time::{Duration, Instant};

use fence_guard::{Guard, GuardOptions, OpenPermit, OpeningRow};
use fenced_section::{EnterOptions, LeaseLock, Prefix, Resource, Section, Sections, Ttl};
use lease_lock::Attempt;
use redis::{Client, Cmd, FromRedisValue};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use sqlx::types::time::OffsetDateTime;
use testbed::{Options, PostgresServer, RedisServer, TestDatabase};
use uuid::Uuid;

/// Whatever nothing holds up any more is done after this time, also on a busy machine.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

/// Sections of a test's own, and the ways to look behind them.
pub(crate) struct Bench {
    pub(crate) sections: Sections,
    pub(crate) guard: Guard,
    /// For looking at rows; not the pool of the sections.
    pub(crate) pool: PgPool,
    pub(crate) server: RedisServer,
    pub(crate) redis_url: String,
    pub(crate) database_url: String,
    _database: Option<TestDatabase>,
}

impl Bench {
    /// With a Redis that is the test's own, so that it may be stopped and emptied.
    pub(crate) async fn new(test: &str) -> Bench {
        let database = testbed::database(test).await;
        let bench = Bench::at(database.url()).await;
        Bench {
            _database: Some(database),
            ..bench
        }
    }

    /// With a Postgres that is the test's own, too.
    pub(crate) async fn with_postgres() -> (Bench, PostgresServer) {
        let server = PostgresServer::start(&Options::throw_away()).unwrap();
        (Bench::at(server.url()).await, server)
    }

    async fn at(database_url: &str) -> Bench {
        let server = RedisServer::start(&Options::throw_away()).unwrap();
        let pool = PgPoolOptions::new().connect(database_url).await.unwrap();
        fence_guard::install(&pool, &[fence_guard::SCHEMA])
            .await
            .unwrap();
        let note = include_str!("sql/note.sql");
        sqlx::raw_sql(note).execute(&pool).await.unwrap();
        let sections = sections(server.url(), database_url).await;
        Bench {
            guard: sections.guard().clone(),
            sections,
            pool,
            redis_url: server.url().to_owned(),
            database_url: database_url.to_owned(),
            server,
            _database: None,
        }
    }

    /// Sections of another process on the same servers.
    pub(crate) async fn others(&self) -> Sections {
        sections(&self.redis_url, &self.database_url).await
    }

    /// Sections whose guard says who blocks it after this time.
    pub(crate) fn with_wait(&self, wait: Duration) -> Sections {
        let options = GuardOptions::default().with_wait(wait);
        let guard = Guard::with_options(self.guard.pool().clone(), options);
        Sections::new(self.sections.locks().clone(), guard)
    }

    pub(crate) async fn enter(&self, resource: &Resource) -> Section {
        self.sections.enter(resource, &LONG).await.unwrap()
    }

    /// Sends a command as an operator would type it, split at spaces.
    pub(crate) async fn redis<T: FromRedisValue>(&self, command: impl AsRef<str>) -> T {
        let mut cmd = Cmd::new();
        for word in command.as_ref().split(' ') {
            cmd.arg(word);
        }
        // A new connection each time: the server may have been started again.
        let client = Client::open(&*self.redis_url).unwrap();
        let mut redis = client.get_multiplexed_async_connection().await.unwrap();
        cmd.query_async(&mut redis).await.unwrap()
    }

    /// Waits until the sections' own connection reaches Redis again: giving up what nobody has is one
    /// harmless round trip.
    pub(crate) async fn until_reconnected(&self) {
        let nobody = Attempt::new(resource("nobody"), LONG.ttl);
        while self.sections.locks().abandon(nobody.clone()).await.is_err() {}
    }

    /// Sets the fence counter of a resource, as a lagging replica or a hand would leave it.
    pub(crate) async fn set_counter(&self, resource: &Resource, value: impl std::fmt::Display) {
        let key = self.sections.locks().prefix().counter_key(resource);
        let _: () = self.redis(format!("SET {key} {value}")).await;
    }

    /// Deletes a lease: Redis has forgotten it, its holder has not.
    pub(crate) async fn forget_lease(&self, resource: &Resource) {
        let key = self.lease_key(resource);
        let _: i64 = self.redis(format!("DEL {key}")).await;
    }

    /// What Redis has as the lease: `None` where it is free.
    pub(crate) async fn lease(&self, resource: &Resource) -> Option<String> {
        let key = self.lease_key(resource);
        self.redis(format!("GET {key}")).await
    }

    pub(crate) fn lease_key(&self, resource: &Resource) -> String {
        self.sections.locks().prefix().lease_key(resource)
    }

    /// Waits until the lease is free; each look is a round trip, so this is no busy loop.
    pub(crate) async fn until_free(&self, resource: &Resource) {
        let started = Instant::now();
        while self.lease(resource).await.is_some() {
            assert!(started.elapsed() < BOUND, "{resource} was not freed");
        }
    }

    /// Waits until somebody has the lease.
    pub(crate) async fn until_lease_seen(&self, resource: &Resource) {
        let started = Instant::now();
        while self.lease(resource).await.is_none() {
            assert!(started.elapsed() < BOUND, "{resource} was not taken");
        }
    }

    /// Waits until so many wait for the lease.
    pub(crate) async fn until_queued(&self, resource: &Resource, waiters: u64) {
        let started = Instant::now();
        let queue = self.sections.locks().prefix().queue_key(resource);
        while self.redis::<u64>(format!("ZCARD {queue}")).await != waiters {
            assert!(started.elapsed() < BOUND, "not {waiters} wait: {resource}");
        }
    }

    /// Waits until the newest opening is closed.
    pub(crate) async fn until_closed(&self, resource: &Resource) {
        let started = Instant::now();
        while !self.is_closed(resource).await {
            assert!(started.elapsed() < BOUND, "{resource} was not closed");
        }
    }

    /// Whether the newest opening is closed.
    pub(crate) async fn is_closed(&self, resource: &Resource) -> bool {
        sqlx::query_scalar("select closed_seq is not null from fence.resource where resource = $1")
            .bind(resource.as_str())
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }

    /// What the newest close recorded of the lease's rest.
    pub(crate) async fn lease_left_ms(&self, resource: &Resource) -> i64 {
        sqlx::query_scalar("select closed_lease_left_ms from fence.resource where resource = $1")
            .bind(resource.as_str())
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }

    /// Returns when the database's clock has passed this moment.
    pub(crate) async fn until_database_clock(&self, moment: OffsetDateTime) {
        let sleep =
            "select pg_sleep(greatest(0, extract(epoch from $1 - clock_timestamp()) + 0.001))";
        let sleep = sqlx::query(sleep).bind(moment).execute(&self.pool);
        within(sleep).await.unwrap();
    }

    /// Waits until so many sessions of the database wait for a lock.
    pub(crate) async fn until_waiting(&self, sessions: i64) {
        let started = Instant::now();
        let waiting = "select count(*) from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()";
        loop {
            let now: i64 = sqlx::query_scalar(waiting)
                .fetch_one(&self.pool)
                .await
                .unwrap();
            if now >= sessions {
                return;
            }
            assert!(started.elapsed() < BOUND, "{now} of {sessions} wait");
        }
    }

    pub(crate) async fn mark(&self, resource: &Resource) -> u64 {
        self.guard.mark(resource).await.unwrap().get()
    }

    pub(crate) async fn openings(&self, resource: &Resource) -> Vec<OpeningRow> {
        self.guard.openings(resource, 0, 1000).await.unwrap()
    }

    /// Writes a note under an opening.
    pub(crate) async fn write(
        &self,
        open: &OpenPermit,
        note: &str,
    ) -> Result<(), fence_guard::Error> {
        let mut tx = self.guard.begin(open, "note", Uuid::nil(), BOUND).await?;
        sqlx::query("insert into note (text) values ($1)")
            .bind(note)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// All notes, in their order.
    pub(crate) async fn notes(&self) -> Vec<String> {
        sqlx::query_scalar("select text from note order by text")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// No rule of the guard is broken by what the test did.
    pub(crate) async fn must_be_sound(&self) {
        let findings = self.guard.audit().await.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }
}

/// Sections with a pool of one connection, which is not asked whether it is alive.
pub(crate) async fn sections(redis_url: &str, database_url: &str) -> Sections {
    let locks = LeaseLock::connect(redis_url, Prefix::new("test:").unwrap());
    let locks = locks.await.unwrap();
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false)
        // So long a call waits for a Postgres that is away.
        .acquire_timeout(Duration::from_secs(3))
        .connect(database_url)
        .await
        .unwrap();
    Sections::new(locks, Guard::new(pool))
}

/// A lease that no test outlives.
pub(crate) const LONG: EnterOptions = EnterOptions::for_ttl(match Ttl::from_millis(120_000) {
    Ok(ttl) => ttl,
    Err(_) => Ttl::MAX,
});

/// A lease of so many milliseconds.
pub(crate) fn for_ms(millis: u64) -> EnterOptions {
    EnterOptions::for_ttl(Ttl::from_millis(millis).unwrap())
}

/// How many resources the tests of growth use: `FENCED_SECTION_RESOURCES`, or so many.
pub(crate) fn resources_or(default: u64) -> u64 {
    match std::env::var("FENCED_SECTION_RESOURCES") {
        Ok(number) => number.parse().expect("a number of resources"),
        Err(_) => default,
    }
}

/// A resource by its name.
pub(crate) fn resource(name: &str) -> Resource {
    name.parse().unwrap()
}

/// Waits for an event, but never for ever.
pub(crate) async fn within<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, event)
        .await
        .expect("the awaited event did not come")
}
