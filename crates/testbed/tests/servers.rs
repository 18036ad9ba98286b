//! Single servers that tests kill, and the pair that they share.

use std::fs;
use std::process::Command;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redis::AsyncCommands;
use sqlx::{Connection, PgConnection};
use testbed::{Error, Options, Origin, Pair, PgBouncer, PostgresServer, RedisServer};

async fn redis(url: &str) -> redis::aio::MultiplexedConnection {
    let client = redis::Client::open(url).unwrap();
    client.get_multiplexed_async_connection().await.unwrap()
}

async fn setting(url: &str, name: &str) -> String {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar("select current_setting($1)")
        .bind(name)
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_killed_redis_comes_back_empty_at_the_same_url() {
    let mut server = RedisServer::start(&Options::throw_away()).unwrap();
    let url = server.url().to_owned();
    let () = redis(&url).await.set("key", "value").await.unwrap();
    let first = server.pid();
    server.kill_nine().unwrap();
    assert_eq!(server.pid(), None);
    assert!(
        redis::Client::open(url.as_str())
            .unwrap()
            .get_connection()
            .is_err()
    );
    server.restart().unwrap();
    assert_ne!(server.pid(), first);
    let value: Option<String> = redis(&url).await.get("key").await.unwrap();
    assert_eq!(value, None);
}

#[test]
fn a_frozen_redis_answers_nobody_until_it_is_thawed_and_has_forgotten_nothing() {
    let mut server = RedisServer::start(&Options::throw_away()).unwrap();
    assert_eq!(server.command(&["SET", "key", "value"]).unwrap(), "OK");
    server.freeze();
    let unanswered = server.command(&["GET", "key"]);
    assert!(
        matches!(unanswered, Err(Error::Io { .. })),
        "{unanswered:?}"
    );
    server.thaw();
    assert_eq!(server.command(&["GET", "key"]).unwrap(), "value");
}

#[test]
fn a_command_that_redis_refuses_is_an_error_without_the_password_in_it() {
    let server = RedisServer::start(&Options::throw_away()).unwrap();
    let refused = server.command(&["ACL", "SETUSER", "app", ">secret", "nonsense"]);
    let error = refused.unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("ACL SETUSER") && !text.contains("secret"),
        "{text}"
    );
}

#[tokio::test]
async fn redis_gets_the_configuration_that_was_asked_for() {
    let options = Options::throw_away().redis_config("maxmemory-policy", "allkeys-lru");
    let server = RedisServer::start(&options).unwrap();
    let mut connection = redis(server.url()).await;
    let mut command = redis::cmd("CONFIG");
    let reply: Vec<String> = command
        .arg("GET")
        .arg("maxmemory-policy")
        .query_async(&mut connection)
        .await
        .unwrap();
    assert_eq!(reply[1], "allkeys-lru");
}

#[tokio::test]
async fn a_killed_postgres_comes_back_with_its_rows_at_the_same_url() {
    let mut server = PostgresServer::start(&Options::throw_away().durable()).unwrap();
    let url = server.url().to_owned();
    let mut connection = PgConnection::connect(&url).await.unwrap();
    sqlx::query("create table note as select 'kept'::text as value")
        .execute(&mut connection)
        .await
        .unwrap();
    server.kill_nine().unwrap();
    assert!(PgConnection::connect(&url).await.is_err());
    server.restart().unwrap();
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let value: String = sqlx::query_scalar("select value from note")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(value, "kept");
}

#[tokio::test]
async fn postgres_with_a_frozen_backend_can_be_stopped_and_leaves_no_backend() {
    let mut server = PostgresServer::start(&Options::throw_away()).unwrap();
    let mut connection = PgConnection::connect(server.url()).await.unwrap();
    let backend: i32 = sqlx::query_scalar("select pg_backend_pid()")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let backend = Pid::from_raw(backend);
    kill(backend, Signal::SIGSTOP).unwrap();
    server.stop().unwrap();
    assert_eq!(kill(backend, None), Err(Errno::ESRCH));
    server.restart().unwrap();
    PgConnection::connect(server.url()).await.unwrap();
}

#[tokio::test]
async fn only_durable_postgres_waits_for_the_disk_at_a_commit() {
    let fast = PostgresServer::start(&Options::throw_away()).unwrap();
    let durable = PostgresServer::start(&Options::throw_away().durable()).unwrap();
    assert_eq!(setting(fast.url(), "fsync").await, "off");
    assert_eq!(setting(durable.url(), "fsync").await, "on");
    assert_eq!(setting(durable.url(), "synchronous_commit").await, "on");
}

#[tokio::test]
async fn a_pooler_hands_calls_on_to_its_postgres_until_it_is_dropped() {
    let options = Options::throw_away().pgbouncer_config("default_pool_size", "1");
    let server = PostgresServer::start(&options).unwrap();
    let pooler = PgBouncer::start(&server, &options).unwrap();
    let url = pooler.url().to_owned();
    let mut connections = Vec::new();
    for _ in 0..3 {
        connections.push(PgConnection::connect(&url).await.unwrap());
    }
    let mut backends = Vec::new();
    for connection in &mut connections {
        // Without a name, so that it may be run on any server connection.
        let backend = sqlx::query_as("select pg_backend_pid(), current_setting('port')");
        let backend: (i32, String) = backend
            .persistent(false)
            .fetch_one(connection)
            .await
            .unwrap();
        let (backend, port) = backend;
        assert!(server.url().contains(&format!(":{port}/")), "{port}");
        backends.push(backend);
    }
    backends.dedup();
    assert_eq!(backends.len(), 1, "three clients share one connection");
    drop(pooler);
    assert!(PgConnection::connect(&url).await.is_err());
}

#[test]
fn a_dropped_postgres_leaves_no_folder() {
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let folder = server.data().to_owned();
    assert!(folder.exists());
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn a_server_that_cannot_start_tells_the_end_of_its_log() {
    let options = Options::throw_away().postgres_config("no_such_setting", "1");
    let error = PostgresServer::start(&options).unwrap_err().to_string();
    assert!(error.contains("no_such_setting"), "{error}");
    let options = Options::throw_away().redis_config("no-such-setting", "1");
    let error = RedisServer::start(&options).unwrap_err().to_string();
    assert!(error.contains("no-such-setting"), "{error}");
}

#[test]
fn a_kept_folder_that_the_servers_cannot_enter_is_replaced_and_the_notice_says_where() {
    use std::os::unix::fs::PermissionsExt;

    let name = format!("testbed-private-{}", std::process::id());
    let private = std::env::temp_dir().join(name);
    fs::create_dir(&private).unwrap();
    // Root passes where its servers cannot; others are kept out by taking their own rights away.
    let mode = if nix::unistd::Uid::effective().is_root() {
        0o700
    } else {
        0o000
    };
    fs::set_permissions(&private, fs::Permissions::from_mode(mode)).unwrap();
    let pair = Pair::start_private(&Options::kept(private.join("data"))).unwrap();
    let Origin::Private { data } = pair.origin() else {
        panic!("{:?}", pair.origin());
    };
    assert!(!data.starts_with(&private), "{data:?}");
    let stand_in = data.parent().unwrap().parent().unwrap();
    let notice = pair.notices().join("\n");
    assert!(notice.contains(stand_in.to_str().unwrap()), "{notice}");
    drop(pair);
    assert!(data.exists(), "kept data was removed");
    fs::remove_dir_all(stand_in).unwrap();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_dir_all(private).unwrap();
}

#[tokio::test]
async fn the_servers_themselves_report_their_versions() {
    let versions = testbed::shared().versions().await.unwrap();
    let (redis, _) = versions.redis.split_once(' ').unwrap();
    assert!(["Redis", "Valkey"].contains(&redis), "{versions}");
    assert!(versions.postgres.starts_with("PostgreSQL "), "{versions}");
}

#[tokio::test]
async fn two_databases_of_one_test_are_empty_and_apart() {
    let first = testbed::database("two databases of one test").await;
    let second = testbed::database("two databases of one test").await;
    assert_ne!(first.url(), second.url());
    let mut connection = PgConnection::connect(first.url()).await.unwrap();
    sqlx::query("create table note (value text)")
        .execute(&mut connection)
        .await
        .unwrap();
    let mut connection = PgConnection::connect(second.url()).await.unwrap();
    let tables: i64 =
        sqlx::query_scalar("select count(*) from pg_tables where schemaname = 'public'")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(tables, 0);
}

#[test]
fn a_prefix_is_unique_and_holds_no_braces() {
    let first = testbed::prefix("a {prefix} of mine");
    assert_ne!(first, testbed::prefix("a {prefix} of mine"));
    assert!(
        first.ends_with(':') && !first.contains(['{', '}']),
        "{first}"
    );
}

#[test]
fn four_pairs_start_at_once_and_share_nothing() {
    // Threads race for the template, the ports and the folders as processes would.
    let starts: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(|| Pair::start_private(&Options::throw_away()).unwrap()))
        .collect();
    let pairs: Vec<Pair> = starts
        .into_iter()
        .map(|start| start.join().unwrap())
        .collect();
    let mut urls: Vec<&str> = pairs
        .iter()
        .flat_map(|pair| [pair.redis_url(), pair.database_url()])
        .collect();
    urls.sort_unstable();
    urls.dedup();
    assert_eq!(urls.len(), 8);
}

#[tokio::test]
async fn a_database_on_a_server_that_a_url_names_is_dropped_again() {
    let postgres = PostgresServer::start(&Options::throw_away()).unwrap();
    let redis = RedisServer::start(&Options::throw_away()).unwrap();
    // The pair of a process is found once, so another process must find it by its URLs.
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "two_databases_of_one_test_are_empty_and_apart"])
        .env("DATABASE_URL", postgres.url())
        .env("REDIS_URL", redis.url())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    assert!(output.contains("1 passed"), "{output}");
    let mut connection = PgConnection::connect(postgres.url()).await.unwrap();
    let left: Vec<String> = sqlx::query_scalar("select datname from pg_database order by datname")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    assert_eq!(left, ["postgres", "template0", "template1"]);
}
