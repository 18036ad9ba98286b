//! A master that is killed or frozen, the replica that takes its place, and what each of them knows.

use std::io::{Read, Write};
use std::net::TcpStream;

use testbed::{Options, RedisSentinel};

fn started() -> RedisSentinel {
    RedisSentinel::start(&Options::throw_away()).unwrap()
}

fn set(sentinel: &RedisSentinel, node: usize, value: &str) {
    let answer = sentinel.node(node).command(&["SET", "key", value]);
    assert_eq!(answer.unwrap(), "OK");
}

fn value(sentinel: &RedisSentinel, node: usize) -> String {
    sentinel.node(node).command(&["GET", "key"]).unwrap()
}

/// What comes up to the end of a line.
fn line(stream: &mut TcpStream) -> String {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

#[test]
fn once_started_the_sentinels_know_each_other_the_master_and_its_replicas() {
    let sentinel = RedisSentinel::with_replicas(2, &Options::throw_away()).unwrap();
    assert_eq!(sentinel.sentinels().len(), 3);
    for url in sentinel.sentinels() {
        let client = redis::Client::open(url).unwrap();
        let mut connection = client.get_connection().unwrap();
        let mut ask = |what: &str| {
            let mut command = redis::cmd("SENTINEL");
            let command = command.arg(what).arg(sentinel.name());
            command.query::<redis::Value>(&mut connection).unwrap()
        };
        let quorum = ask("CKQUORUM");
        assert!(format!("{quorum:?}").contains("3 usable"), "{quorum:?}");
        let address: (String, u16) =
            redis::from_redis_value(ask("GET-MASTER-ADDR-BY-NAME")).unwrap();
        assert_eq!(address, ("127.0.0.1".to_owned(), sentinel.node(0).port()));
        let replicas: Vec<redis::Value> = redis::from_redis_value(ask("REPLICAS")).unwrap();
        assert_eq!(replicas.len(), 2);
    }
    assert_eq!(sentinel.master().unwrap(), 0);
}

#[test]
fn a_killed_master_is_replaced_and_comes_back_empty_as_a_replica_of_its_successor() {
    let mut sentinel = started();
    set(&sentinel, 0, "before");
    sentinel.await_replicated(0).unwrap();
    sentinel.node_mut(0).kill_nine().unwrap();
    assert_eq!(sentinel.await_master_other_than(0).unwrap(), 1);
    assert_eq!(value(&sentinel, 1), "before");

    sentinel.node_mut(0).restart().unwrap();
    assert_eq!(value(&sentinel, 0), "");
    set(&sentinel, 1, "after");
    sentinel.await_replica(0).unwrap();
    assert_eq!(value(&sentinel, 0), "after");
    assert_eq!(sentinel.master().unwrap(), 1);
}

#[test]
fn a_replica_that_was_shut_out_is_promoted_with_what_it_had() {
    let mut sentinel = started();
    set(&sentinel, 0, "had");
    sentinel.stop_replicating(0).unwrap();
    set(&sentinel, 0, "missed");
    assert_eq!(value(&sentinel, 1), "had");
    sentinel.node_mut(0).kill_nine().unwrap();
    assert_eq!(sentinel.await_master_other_than(0).unwrap(), 1);
    assert_eq!(value(&sentinel, 1), "had");
}

#[test]
fn a_frozen_master_wakes_up_with_its_own_mind_until_it_is_demoted() {
    let mut sentinel = started();
    set(&sentinel, 0, "before");
    sentinel.await_replicated(0).unwrap();
    let mut connection = TcpStream::connect(("127.0.0.1", sentinel.node(0).port())).unwrap();
    connection.write_all(b"PING\r\n").unwrap();
    assert_eq!(line(&mut connection), "+PONG\r\n");
    sentinel.node_mut(0).freeze();
    assert_eq!(sentinel.await_master_other_than(0).unwrap(), 1);
    set(&sentinel, 1, "after");

    // What clients have sent meanwhile is answered before any Sentinel has its say.
    connection
        .write_all(b"GET key\r\nSET key lost\r\n")
        .unwrap();
    sentinel.node_mut(0).thaw();
    let answers: Vec<String> = (0..3).map(|_| line(&mut connection)).collect();
    assert_eq!(answers.concat(), "$6\r\nbefore\r\n+OK\r\n");
    sentinel.await_replica(0).unwrap();
    assert_eq!(value(&sentinel, 0), "after");
}
