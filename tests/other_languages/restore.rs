//! The runbook of `sql/README.md`, walked through, and why it is needed.

use fence_guard::{Guard, Reason};
use fenced_section::{EnterOptions, LeaseLock, Prefix, Sections, Ttl};
use promises::{HOLD, MustRefuse, World, account, charge, permit, resource, sqlstate};
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use crate::lost_time::LostTime;
use crate::page::PAGE;
use crate::programs::{psql, shell};

/// Leases that outlive their test.
const LONG: EnterOptions = EnterOptions::for_ttl(Ttl::MAX);

/// Redis, and where in it one test has its keys.
struct Redis {
    url: String,
    prefix: String,
}

impl Redis {
    fn of(test: &str) -> Redis {
        Redis {
            url: testbed::shared().redis_url().to_owned(),
            prefix: testbed::prefix(test),
        }
    }

    /// The sections of a service whose guard is this.
    async fn sections(&self, guard: Guard) -> Sections {
        let prefix = Prefix::new(&self.prefix).unwrap();
        let locks = LeaseLock::connect(self.url.as_str(), prefix).await.unwrap();
        Sections::new(locks, guard)
    }

    /// What the page's line says.
    fn highest(&self) -> u64 {
        let variables = [("REDIS_URL", &*self.url), ("PREFIX", &*self.prefix)];
        let printed = shell(&variables, PAGE.block("sh", "redis-cli"));
        printed.trim().parse().unwrap()
    }
}

/// The highest number that the database knows, in the page's words.
fn highest(url: &str) -> u64 {
    let printed = psql(url, &[], PAGE.block("sql", "as highest"));
    let number = printed.trim().strip_prefix("highest\n").unwrap();
    number.parse().unwrap()
}

#[tokio::test]
async fn without_the_runbook_who_was_overtaken_in_the_lost_time_writes_again() {
    let went_back = LostTime::lose().await;
    let guard = went_back.guard();
    let one = charge(&account("alice"), 1);
    let lost = Guard::new(went_back.lost.pool().clone());
    let begun = lost.begin(&went_back.overtaken, "write", Uuid::nil(), HOLD);
    assert_eq!(begun.await.must_refuse().reason(), Reason::Stale);

    let ledger = went_back.restored.ledger();
    ledger.charge(&went_back.overtaken, &one).await.unwrap();
    let newcomer = &went_back.newcomer;
    let begun = guard.begin(newcomer, "write", Uuid::nil(), HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::NotOpen);
    guard.open(newcomer.permit(), HOLD).await.unwrap();
}

#[tokio::test]
async fn after_the_runbook_all_of_the_lost_time_is_stale_and_the_next_ones_write() {
    let went_back = LostTime::lose().await;
    let redis = Redis::of("runbook");
    let lost = redis
        .sections(Guard::new(went_back.lost.pool().clone()))
        .await;
    let section = lost.enter(&resource("unclosed"), &LONG).await.unwrap();
    let in_redis = redis.highest();
    assert_eq!(in_redis, section.fence().get());
    assert_eq!(highest(&went_back.url), 7);
    let _ = section.leave().await;

    let above = in_redis.max(highest(&went_back.url)) + 1_000_000;
    let variables = [format!("above={above}")];
    // The scheduler's last fold stopped halfway.
    let mut scheduler = went_back.restored.session().await;
    scheduler.run("select fence.fold('100 years', 1)").await;
    let raised = PAGE.block("sql", "fence.fold");
    for _ in 0..2 {
        let printed = psql(&went_back.url, &variables, raised);
        let end = format!(
            "floor|marks_left\n{}|0\nrule|subject|seq|finding\n",
            above + 1
        );
        assert!(printed.ends_with(&end), "{printed}");
    }

    let guard = went_back.guard();
    let one = charge(&account("alice"), 1);
    for old in went_back.all() {
        let begun = guard.begin(old, "write", Uuid::nil(), HOLD).await;
        assert_eq!(begun.must_refuse().reason(), Reason::Stale);
        let opened = guard.open(old.permit(), HOLD).await;
        assert_eq!(opened.must_refuse().reason(), Reason::Stale);
        let charged = went_back.restored.ledger().charge(old, &one).await;
        assert_eq!(charged.must_refuse().reason(), Reason::Stale);
    }

    let sections = redis.sections(guard).await;
    for name in ["unclosed", "closed", "minted", "new"] {
        let section = sections.enter(&resource(name), &LONG).await.unwrap();
        assert!(section.fence().get() > above, "{name}");
        let open = section.open().unwrap();
        let once = charge(&account("alice"), 1);
        went_back
            .restored
            .ledger()
            .charge(open, &once)
            .await
            .unwrap();
    }
    assert!(went_back.restored.findings().await.is_empty());
}

#[tokio::test]
async fn the_runbook_puts_the_writers_out_and_lets_them_in_again() {
    let went_back = LostTime::lose().await;
    let mut owner = went_back.restored.session().await;
    owner.run("create role service login").await;
    let url = went_back.url.replace("postgres@", "service@");
    let mut writer = PgConnection::connect(&url).await.unwrap();

    let printed = psql(&went_back.url, &[], PAGE.block("sql", "nologin"));
    assert_eq!(printed, "ended\n1\n");
    writer.ping().await.unwrap_err();
    let refused = PgConnection::connect(&url).await;
    assert_eq!(sqlstate(refused), "28000");

    assert!(PAGE.says("`alter role service login;`"));
    owner.run("alter role service login").await;
    let mut writer = PgConnection::connect(&url).await.unwrap();
    writer.ping().await.unwrap();
}

#[tokio::test]
async fn the_highest_of_redis_counters_is_the_greatest_number_and_not_the_last_word() {
    let redis = Redis::of("counters");
    let world = World::new().await;
    let guard = Guard::new(world.pool().clone());
    for (name, fence) in [("a", 9), ("b", 99), ("c", 8)] {
        let permit = permit(name, fence);
        let open = guard.open(&permit, HOLD).await.unwrap();
        guard.close(&open, 1).await.unwrap();
    }
    let sections = redis.sections(guard).await;
    for name in ["a", "b", "c"] {
        let section = sections.enter(&resource(name), &LONG).await.unwrap();
        let _ = section.leave().await;
    }
    assert_eq!(redis.highest(), 100);
}
