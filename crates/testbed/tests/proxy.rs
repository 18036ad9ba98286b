//! What passes through a proxy, what it holds, and what it loses.

use std::future::Future;
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Client, RedisResult};
use sqlx::{Connection, PgConnection};
use testbed::{Proxy, prefix, shared};
use tokio::time::timeout;

/// No wait of a test may last longer.
const BOUND: Duration = Duration::from_secs(30);

/// A proxy in front of the shared Redis, a connection that comes through it, and one beside it.
struct Scene {
    proxy: Proxy,
    through: MultiplexedConnection,
    beside: MultiplexedConnection,
    key: String,
}

impl Scene {
    async fn new() -> Scene {
        let url = shared().redis_url();
        let proxy = Proxy::to(url).await;
        Scene {
            through: connection(&proxy.url(url)).await.unwrap(),
            beside: connection(url).await.unwrap(),
            key: prefix("proxy") + "key",
            proxy,
        }
    }

    /// Sends an increment through the proxy, in a task of its own.
    fn increment(&self) -> tokio::task::JoinHandle<RedisResult<u64>> {
        let (mut through, key) = (self.through.clone(), self.key.clone());
        tokio::spawn(async move { through.incr(key, 1).await })
    }

    /// Waits until so many round trips have been begun: the proxy has read what begins them.
    async fn until_asked(&self, round_trips: u64) {
        within(async {
            while self.proxy.round_trips() < round_trips {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    /// What the server has, whatever a client was told.
    async fn count(&mut self) -> Option<u64> {
        self.beside.get(&self.key).await.unwrap()
    }
}

async fn connection(url: &str) -> RedisResult<MultiplexedConnection> {
    let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(BOUND));
    let client = Client::open(url)?;
    client
        .get_multiplexed_async_connection_with_config(&config)
        .await
}

async fn within<T>(event: impl Future<Output = T>) -> T {
    timeout(BOUND, event).await.expect("the event did not come")
}

#[tokio::test]
async fn each_call_is_counted_as_one_round_trip_on_whatever_connection() {
    let scene = Scene::new().await;
    let before = scene.proxy.round_trips();
    scene.increment().await.unwrap().unwrap();
    assert_eq!(scene.proxy.round_trips(), before + 1);
    let mut pipe = redis::pipe();
    let pipe = pipe.incr(&scene.key, 1).incr(&scene.key, 1);
    let _: (u64, u64) = pipe.query_async(&mut scene.through.clone()).await.unwrap();
    assert_eq!(scene.proxy.round_trips(), before + 2);

    let other = connection(&scene.proxy.url(shared().redis_url())).await;
    let before = scene.proxy.round_trips();
    scene.proxy.hold_replies();
    let both = [scene.increment(), {
        let (mut other, key) = (other.unwrap(), scene.key.clone());
        tokio::spawn(async move { other.incr(key, 1).await })
    }];
    scene.until_asked(before + 2).await;
    scene.proxy.pass();
    for increment in both {
        within(increment).await.unwrap().unwrap();
    }
    assert_eq!(scene.proxy.round_trips(), before + 2);
}

#[tokio::test]
async fn a_request_that_is_held_reaches_the_server_once_it_is_passed() {
    let mut scene = Scene::new().await;
    let before = scene.proxy.round_trips();
    scene.proxy.hold_requests();
    within(scene.proxy.caught()).await;
    let increment = scene.increment();
    scene.until_asked(before + 1).await;
    assert_eq!(scene.count().await, None);
    scene.proxy.pass();
    assert_eq!(within(increment).await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn a_request_that_is_held_and_then_cut_never_reaches_the_server() {
    let mut scene = Scene::new().await;
    scene.proxy.hold_requests_from("INCR");
    let increment = scene.increment();
    within(scene.proxy.caught()).await;
    scene.proxy.cut();
    scene.proxy.pass();
    assert!(within(increment).await.unwrap().is_err());
    assert_eq!(scene.count().await, None);
}

#[tokio::test]
async fn a_reply_that_is_held_and_then_cut_is_lost_and_the_server_has_done_its_work() {
    let mut scene = Scene::new().await;
    scene.proxy.hold_replies();
    let increment = scene.increment();
    within(scene.proxy.kept_back()).await;
    assert_eq!(scene.count().await, Some(1));
    assert!(!increment.is_finished());
    scene.proxy.cut();
    assert!(within(increment).await.unwrap().is_err());
}

#[tokio::test]
async fn the_replies_that_are_to_be_swallowed_are_and_no_more() {
    let mut scene = Scene::new().await;
    scene.proxy.swallow(1);
    assert!(within(scene.increment()).await.unwrap().is_err());
    assert_eq!(scene.proxy.to_swallow(), 0);
    assert_eq!(scene.count().await, Some(1));
    let url = scene.proxy.url(shared().redis_url());
    scene.through = connection(&url).await.unwrap();
    assert_eq!(within(scene.increment()).await.unwrap().unwrap(), 2);
}

#[tokio::test]
async fn the_request_after_which_requests_are_held_is_let_through_itself() {
    let mut scene = Scene::new().await;
    scene.proxy.hold_requests_after("INCR");
    assert_eq!(within(scene.increment()).await.unwrap().unwrap(), 1);
    within(scene.proxy.caught()).await;
    let before = scene.proxy.round_trips();
    let increment = scene.increment();
    scene.until_asked(before + 1).await;
    assert_eq!(scene.count().await, Some(1));
    scene.proxy.pass_requests();
    assert_eq!(within(increment).await.unwrap().unwrap(), 2);
}

#[tokio::test]
async fn a_delayed_reply_comes_no_earlier() {
    let delay = Duration::from_millis(50);
    let scene = Scene::new().await;
    scene.proxy.delay_replies(delay);
    let sent = Instant::now();
    within(scene.increment()).await.unwrap().unwrap();
    assert!(sent.elapsed() >= delay);
}

#[tokio::test]
async fn a_closed_proxy_serves_nobody_until_it_is_reopened() {
    let scene = Scene::new().await;
    let url = scene.proxy.url(shared().redis_url());
    scene.proxy.close();
    assert!(within(scene.increment()).await.unwrap().is_err());
    assert!(within(connection(&url)).await.is_err());
    scene.proxy.reopen();
    within(connection(&url)).await.unwrap();
}

#[tokio::test]
async fn a_dropped_proxy_takes_its_connections_and_its_port_with_it() {
    let Scene {
        proxy,
        mut through,
        key,
        ..
    } = Scene::new().await;
    let url = proxy.url(shared().redis_url());
    drop(proxy);
    let lost: RedisResult<u64> = within(through.incr(key, 1)).await;
    assert!(lost.is_err());
    assert!(within(connection(&url)).await.is_err());
}

#[tokio::test]
async fn statements_of_postgres_are_counted_and_their_replies_lost_too() {
    let database = testbed::database("through a proxy").await;
    let proxy = Proxy::to(database.url()).await;
    let mut through = PgConnection::connect(&proxy.url(database.url()))
        .await
        .unwrap();
    let mut beside = PgConnection::connect(database.url()).await.unwrap();
    sqlx::query("create table note (value text)")
        .execute(&mut through)
        .await
        .unwrap();
    let count = "select count(*) from note";
    let before = proxy.round_trips();
    let _: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut through)
        .await
        .unwrap();
    // Parsed, then run.
    assert_eq!(proxy.round_trips(), before + 2);
    let insert = || sqlx::query("insert into note values ('a')");
    insert().execute(&mut through).await.unwrap();

    proxy.swallow(1);
    assert!(within(insert().execute(&mut through)).await.is_err());
    let rows: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut beside)
        .await
        .unwrap();
    assert_eq!(rows, 2);
}
