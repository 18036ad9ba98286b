//! A process that starts servers and then ends in the way that a test asks for.
//!
//! The first argument says what to start: `pair`, `kept FOLDER`, `pooler`, `topologies`, `group`, or `untied` (the canary:
//! a server that nothing ties to this process). It writes one line about it, `name=value` with
//! spaces between, and reads one word: the way to end. Without a word it waits to be killed.

use std::process::{Command, ExitCode, Stdio};
use std::{env, io, process, thread};

use testbed::{Options, Origin, Pair, PgBouncer, PostgresServer, RedisCluster, RedisSentinel};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pair"] => with_pair(Options::throw_away()),
        ["kept", folder] => with_pair(Options::kept(folder)),
        ["pooler"] => with_pooler(),
        ["topologies"] => with_topologies(),
        ["group"] => with_group(),
        ["untied"] => with_untied_server(),
        _ => {
            eprintln!("say what to start: pair, kept FOLDER, pooler, topologies, group or untied");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn with_pair(options: Options) {
    // The thread that starts the servers ends at once: they must not end with it.
    let starter = thread::spawn(move || Pair::start_private(&options));
    let pair = starter
        .join()
        .expect("the starting thread ends well")
        .expect("the servers start");
    let Origin::Private { data } = pair.origin() else {
        panic!("the pair is private");
    };
    for notice in pair.notices() {
        eprintln!("{notice}");
    }
    let (redis, postgres) = (pair.redis_url(), pair.database_url());
    println!("redis={redis} postgres={postgres} data={}", data.display());
    end();
}

fn with_pooler() {
    let options = Options::throw_away();
    let postgres = PostgresServer::start(&options).expect("Postgres starts");
    let pooler = PgBouncer::start(&postgres, &options).expect("PgBouncer starts");
    println!("pooler={}", pooler.url());
    end();
}

fn with_topologies() {
    let options = Options::throw_away();
    let mut sentinel = RedisSentinel::start(&options).expect("master, replica and Sentinels start");
    let mut cluster = RedisCluster::start(&options).expect("the cluster starts");
    // What is stopped hears of nothing until it is continued or killed.
    sentinel.node_mut(0).freeze();
    cluster.node_mut(0).freeze();
    println!("cluster={}", cluster.node(1).url());
    end();
}

fn with_group() {
    println!("started");
    let mut shell = Command::new("/bin/sh");
    // A child and a grandchild that a parent-death signal does not reach.
    shell.args(["-c", "/bin/sh -c 'sleep 600 & wait' & sleep 600 & wait"]);
    testbed::run_in_group(shell).expect("the group runs");
}

#[allow(
    clippy::zombie_processes,
    reason = "it is the point of the canary that its child is left alone"
)]
fn with_untied_server() {
    let server = Command::new("/bin/sh")
        .args(["-c", "sleep 600 & wait"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the shell starts");
    println!("untied={}", server.id());
    end();
}

/// Ends as the word on the standard input says; comes back to end by returning.
fn end() {
    let mut word = String::new();
    io::stdin().read_line(&mut word).expect("the input is text");
    match word.trim() {
        "return" => {}
        "panic" => panic!("a test asked for it"),
        "exit" => process::exit(3),
        "abort" => process::abort(),
        _ => loop {
            thread::park();
        },
    }
}
