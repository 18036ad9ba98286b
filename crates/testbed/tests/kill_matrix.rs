//! Everything dies with its parent, in whatever way the parent dies.
//!
//! Each test lists all descendants of a process that runs a pair, with a client inside Postgres,
//! ends the process in one way, and looks for survivors in the list of processes. The list is read
//! from `/proc`, so nothing here trusts the code under test; it makes these tests Linux' own.

#![cfg(target_os = "linux")]

mod support;

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::{Connection, PgConnection};
use support::{Doomed, GONE_WITHIN, Process, descendants, disappears, survivors};

/// A pair with a client that keeps a backend busy, and all processes that belong to it.
struct Scene {
    doomed: Doomed,
    family: Vec<Process>,
    data: PathBuf,
}

impl Scene {
    async fn of(arguments: &[&str]) -> Scene {
        let doomed = Doomed::start(arguments);
        occupy_a_backend(doomed.fact("postgres")).await;
        let family = descendants(doomed.pid());
        let count = |name: &str| family.iter().filter(|process| process.name == name).count();
        assert_eq!(
            count("redis-server") + count("valkey-server"),
            1,
            "{family:#?}"
        );
        // The postmaster, the client's backend, and Postgres' own workers.
        assert!(count("postgres") > 4, "{family:#?}");
        // One janitor each.
        assert_eq!(count("sh"), 2, "{family:#?}");
        let data = PathBuf::from(doomed.fact("data"));
        assert!(data.join("PG_VERSION").exists());
        Scene {
            doomed,
            family,
            data,
        }
    }

    /// The temporary folder that holds Postgres' data.
    fn run_folder(&self) -> &Path {
        let is_run = |path: &&Path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with("run-")
        };
        self.data.ancestors().find(is_run).unwrap()
    }

    /// Removes what a test kept: the wanted folder, or its stand-in where the servers' account
    /// cannot enter the checkout.
    fn remove_kept_folder(&self) {
        let folder = self.data.ancestors().nth(2).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn no_process_survives(&self) {
        let left = survivors(&self.family, GONE_WITHIN);
        assert!(left.is_empty(), "these outlived their parent: {left:#?}");
    }

    fn nothing_is_left(&self) {
        self.no_process_survives();
        assert!(
            disappears(self.run_folder()),
            "{:?} stays",
            self.run_folder()
        );
    }

    async fn ends_by(word: &str) {
        let mut scene = Scene::of(&["pair"]).await;
        scene.doomed.ends_by(word);
        scene.nothing_is_left();
    }

    async fn dies_of(signal: Signal) {
        let mut scene = Scene::of(&["pair"]).await;
        scene.doomed.dies_of(signal);
        scene.nothing_is_left();
    }
}

/// Leaves a statement running whose client is this test.
async fn occupy_a_backend(url: &str) {
    let mut busy = PgConnection::connect(url).await.unwrap();
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()")
        .fetch_one(&mut busy)
        .await
        .unwrap();
    tokio::spawn(async move {
        // It ends with an error, when the server does.
        let _ = sqlx::query("select pg_sleep(600)").execute(&mut busy).await;
    });
    let mut observer = PgConnection::connect(url).await.unwrap();
    let is_busy = "select coalesce((select wait_event = 'PgSleep' from pg_stat_activity where pid = $1), false)";
    while !sqlx::query_scalar::<_, bool>(is_busy)
        .bind(pid)
        .fetch_one(&mut observer)
        .await
        .unwrap()
    {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_returns_from_main() {
    Scene::ends_by("return").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_panics() {
    Scene::ends_by("panic").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_calls_exit() {
    Scene::ends_by("exit").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_aborts() {
    Scene::ends_by("abort").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_is_interrupted() {
    Scene::dies_of(Signal::SIGINT).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_is_terminated() {
    Scene::dies_of(Signal::SIGTERM).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_terminal_of_the_parent_hangs_up() {
    Scene::dies_of(Signal::SIGHUP).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_is_killed() {
    Scene::dies_of(Signal::SIGKILL).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_when_the_parent_is_killed_while_everything_is_stopped() {
    let mut scene = Scene::of(&["pair"]).await;
    for process in scene.family.iter().filter(|process| process.name != "sh") {
        // One of Postgres' workers may have ended by itself meanwhile.
        let _ = kill(Pid::from_raw(process.pid), Signal::SIGSTOP);
    }
    scene.doomed.dies_of(Signal::SIGKILL);
    scene.nothing_is_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_outlive_the_thread_that_started_them() {
    // The helper's starting thread has ended before it wrote its line; the scene's own checks find
    // the servers running after that.
    let scene = Scene::of(&["pair"]).await;
    // Postgres' own children come and go.
    let doomed = scene.doomed.pid();
    let mut servers = scene
        .family
        .iter()
        .filter(|process| process.parent == doomed);
    assert!(servers.all(Process::is_running), "{:#?}", scene.family);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_server_survives_when_the_janitors_are_killed_before_the_parent() {
    let mut scene = Scene::of(&["pair"]).await;
    let folder = scene.run_folder().to_owned();
    for janitor in scene.family.iter().filter(|process| process.name == "sh") {
        kill(Pid::from_raw(janitor.pid), Signal::SIGKILL).unwrap();
    }
    scene.doomed.dies_of(Signal::SIGKILL);
    scene.no_process_survives();
    // Nobody was left to remove the folder, so the next run does: that of this test, or one beside.
    Scene::ends_by("return").await;
    assert!(disappears(&folder), "{folder:?} was not swept away");
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_data_stays_and_is_used_again_after_the_parent_was_killed() {
    let folder = kept_folder("kept-after-kill");
    let wanted = folder.to_str().unwrap();
    let mut first = Scene::of(&["kept", wanted]).await;
    write_row(first.doomed.fact("postgres"), "first").await;
    first.doomed.dies_of(Signal::SIGKILL);
    first.no_process_survives();
    let mut second = Scene::of(&["kept", wanted]).await;
    assert_eq!(second.data, first.data);
    assert_eq!(rows(second.doomed.fact("postgres")).await, ["first"]);
    second.doomed.ends_by("return");
    second.no_process_survives();
    first.remove_kept_folder();
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_data_is_used_again_after_the_kill_minus_nine_of_everything() {
    let folder = kept_folder("kept-kill-nine");
    let wanted = folder.to_str().unwrap();
    let mut first = Scene::of(&["kept", wanted]).await;
    write_row(first.doomed.fact("postgres"), "first").await;
    for process in &first.family {
        // A parent's end may have taken it along by now.
        let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
    }
    first.doomed.dies_of(Signal::SIGKILL);
    first.no_process_survives();
    let stale = first.data.join("postmaster.pid");
    assert!(stale.exists(), "the killed Postgres left no lock file");
    let mut stranger = Stranger::named_in(&stale);
    let mut second = Scene::of(&["kept", wanted]).await;
    assert_eq!(rows(second.doomed.fact("postgres")).await, ["first"]);
    let ended = stranger.0.try_wait().unwrap();
    assert_eq!(ended, None, "a stranger was taken for the server");
    second.doomed.ends_by("return");
    second.no_process_survives();
    first.remove_kept_folder();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_on_kept_data_gets_throw_away_servers() {
    let folder = kept_folder("kept-twice");
    let wanted = folder.to_str().unwrap();
    let mut first = Scene::of(&["kept", wanted]).await;
    let mut second = Scene::of(&["kept", wanted]).await;
    assert_ne!(second.data, first.data);
    second.doomed.ends_by("return");
    second.nothing_is_left();
    first.doomed.ends_by("return");
    first.no_process_survives();
    first.remove_kept_folder();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_and_its_grandchildren_end_when_the_parent_is_killed() {
    let mut doomed = Doomed::start(&["group"]);
    let family = until_the_group_runs(&doomed);
    doomed.dies_of(Signal::SIGKILL);
    let left = survivors(&family, GONE_WITHIN);
    assert!(left.is_empty(), "these outlived their parent: {left:#?}");
}

#[test]
fn canary_the_check_finds_a_process_that_nothing_ties_to_its_parent() {
    let mut doomed = Doomed::start(&["untied"]);
    let family = descendants(doomed.pid());
    doomed.dies_of(Signal::SIGKILL);
    let left = survivors(&family, Duration::from_millis(200));
    let untied: i32 = doomed.fact("untied").parse().unwrap();
    assert!(left.iter().any(|process| process.pid == untied), "{left:?}");
    for process in &left {
        kill(Pid::from_raw(process.pid), Signal::SIGKILL).unwrap();
    }
}

/// The watcher, two shells, two sleeps.
fn until_the_group_runs(doomed: &Doomed) -> Vec<Process> {
    let deadline = std::time::Instant::now() + GONE_WITHIN;
    loop {
        let family = descendants(doomed.pid());
        let sleeps = family.iter().filter(|process| process.name == "sleep");
        if sleeps.count() == 2 {
            return family;
        }
        assert!(std::time::Instant::now() < deadline, "{family:#?}");
        std::thread::yield_now();
    }
}

/// A folder for kept data that no earlier run has left anything in.
fn kept_folder(name: &str) -> PathBuf {
    let name = format!("{name}-{}", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A process of the servers' account that has nothing to do with them; it ends with the test.
struct Stranger(Child);

impl Stranger {
    /// Makes one, and writes its number into `lock_file`: the number of a process that has ended
    /// may be another one's by the next run, and Postgres would take that one for a server.
    fn named_in(lock_file: &Path) -> Stranger {
        let owner = std::fs::metadata(lock_file).unwrap();
        let mut sleeper = Command::new("sleep");
        sleeper.arg("600").uid(owner.uid()).gid(owner.gid());
        sleeper.stdin(Stdio::null());
        sleeper.stdout(Stdio::null()).stderr(Stdio::null());
        let stranger = Stranger(sleeper.spawn().unwrap());
        let text = std::fs::read_to_string(lock_file).unwrap();
        let (_, rest) = text.split_once('\n').unwrap();
        std::fs::write(lock_file, format!("{}\n{rest}", stranger.0.id())).unwrap();
        stranger
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It cannot be killed when it has ended, and then the test has failed by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn write_row(url: &str, value: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::query("create table note (value text)")
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::query("insert into note values ($1)")
        .bind(value)
        .execute(&mut connection)
        .await
        .unwrap();
}

async fn rows(url: &str) -> Vec<String> {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar("select value from note")
        .fetch_all(&mut connection)
        .await
        .unwrap()
}

#[test]
fn a_pooler_does_not_outlive_its_parent() {
    let mut doomed = Doomed::start(&["pooler"]);
    let family = descendants(doomed.pid());
    let is_pooler = |process: &Process| process.name == "pgbouncer";
    assert!(family.iter().any(is_pooler), "{family:#?}");
    doomed.dies_of(Signal::SIGKILL);
    let left = survivors(&family, GONE_WITHIN);
    assert!(left.is_empty(), "these outlived their parent: {left:#?}");
}

#[test]
fn no_node_of_a_cluster_and_no_sentinel_outlives_its_parent_not_even_a_frozen_one() {
    let mut doomed = Doomed::start(&["topologies"]);
    let family = descendants(doomed.pid());
    let count = |name: &str| family.iter().filter(|process| process.name == name).count();
    // Two nodes and three Sentinels, and six nodes of the cluster; one janitor each.
    let servers = family.iter().filter(|process| process.name != "sh").count();
    assert_eq!((servers, count("sh")), (11, 11), "{family:#?}");
    doomed.dies_of(Signal::SIGKILL);
    let left = survivors(&family, GONE_WITHIN);
    assert!(left.is_empty(), "these outlived their parent: {left:#?}");
}
