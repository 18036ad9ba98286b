//! A cluster that loses masters, and one whose slots move.

use testbed::{Error, Options, RedisCluster};

/// Two keys of one slot.
const KEYS: [&str; 2] = ["{a}first", "{a}second"];
/// The slot of `{a}`, which node 2 has at first.
const SLOT: u16 = 15_495;

fn started() -> RedisCluster {
    RedisCluster::start(&Options::throw_away()).unwrap()
}

fn set(cluster: &RedisCluster, node: usize, value: &str) {
    let answer = cluster.node(node).command(&["SET", KEYS[0], value]);
    assert_eq!(answer.unwrap(), "OK");
}

fn value(cluster: &RedisCluster, node: usize) -> String {
    cluster.node(node).command(&["GET", KEYS[0]]).unwrap()
}

/// The value as a replica has it.
fn value_at_replica(cluster: &RedisCluster, node: usize) -> String {
    let client = redis::Client::open(cluster.urls().remove(node)).unwrap();
    let mut connection = client.get_connection().unwrap();
    let () = redis::cmd("READONLY").query(&mut connection).unwrap();
    let mut get = redis::cmd("GET");
    get.arg(KEYS[0]).query(&mut connection).unwrap()
}

/// The first word of the error that a command is answered with.
fn refusal(cluster: &RedisCluster, node: usize, words: &[&str]) -> String {
    match cluster.node(node).command(words) {
        Err(Error::Refused { answer, .. }) => answer.split(' ').next().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn once_started_all_nodes_serve_all_slots_in_thirds() {
    let cluster = started();
    assert_eq!(cluster.urls().len(), 6);
    for (slot, master) in [
        (0, 0),
        (5461, 0),
        (5462, 1),
        (10_922, 1),
        (10_923, 2),
        (16_383, 2),
    ] {
        assert_eq!(cluster.master_of(slot).unwrap(), master, "{slot}");
    }
    for master in 0..3 {
        assert_eq!(cluster.replica_of(master).unwrap(), master + 3);
    }
    for node in 0..6 {
        let info = cluster.node(node).command(&["CLUSTER", "INFO"]).unwrap();
        assert!(info.contains("cluster_state:ok"), "{node}: {info}");
        assert!(info.contains("cluster_slots_ok:16384"), "{node}: {info}");
    }
}

#[test]
fn a_killed_master_is_replaced_and_comes_back_as_a_replica_of_its_successor() {
    let mut cluster = started();
    set(&cluster, 2, "before");
    cluster.await_replicated(2).unwrap();
    cluster.node_mut(2).kill_nine().unwrap();
    assert_eq!(cluster.await_master_of(SLOT, 2).unwrap(), 5);
    assert_eq!(value(&cluster, 5), "before");

    cluster.node_mut(2).restart().unwrap();
    cluster.await_replica(2).unwrap();
    assert_eq!(cluster.replica_of(5).unwrap(), 2);
    assert_eq!(value_at_replica(&cluster, 2), "before");
    assert_eq!(cluster.master_of(SLOT).unwrap(), 5);
}

#[test]
fn a_replica_that_was_shut_out_is_promoted_with_what_it_had() {
    let mut cluster = started();
    set(&cluster, 2, "had");
    cluster.stop_replicating(2).unwrap();
    set(&cluster, 2, "missed");
    assert_eq!(value_at_replica(&cluster, 5), "had");
    cluster.node_mut(2).kill_nine().unwrap();
    assert_eq!(cluster.await_master_of(SLOT, 2).unwrap(), 5);
    assert_eq!(value(&cluster, 5), "had");
}

#[test]
fn a_frozen_master_is_replaced_and_wakes_up_as_a_replica() {
    let mut cluster = started();
    set(&cluster, 2, "before");
    cluster.await_replicated(2).unwrap();
    cluster.node_mut(2).freeze();
    assert_eq!(cluster.await_master_of(SLOT, 2).unwrap(), 5);
    set(&cluster, 5, "after");
    cluster.node_mut(2).thaw();
    cluster.await_replica(2).unwrap();
    assert_eq!(value_at_replica(&cluster, 2), "after");
}

#[test]
fn a_slot_moves_with_its_keys_and_every_node_hears_of_it() {
    let cluster = started();
    set(&cluster, 2, "value");
    cluster.move_slot(SLOT, 0).unwrap();
    assert_eq!(cluster.master_of(SLOT).unwrap(), 0);
    assert_eq!(value(&cluster, 0), "value");
    assert_eq!(refusal(&cluster, 2, &["GET", KEYS[0]]), "MOVED");
}

#[test]
fn while_a_slot_moves_its_keys_are_found_one_by_one_but_not_together() {
    let cluster = started();
    for key in KEYS {
        cluster.node(2).command(&["SET", key, "value"]).unwrap();
    }
    let moving = cluster.begin_move(SLOT, 0).unwrap();
    moving.move_key(KEYS[0]).unwrap();
    assert_eq!(refusal(&cluster, 2, &["GET", KEYS[0]]), "ASK");
    let second = cluster.node(2).command(&["GET", KEYS[1]]).unwrap();
    assert_eq!(second, "value");
    // Up to version 6.2 it is left to the new master to say so.
    let both = refusal(&cluster, 2, &["MGET", KEYS[0], KEYS[1]]);
    assert!(["TRYAGAIN", "ASK"].contains(&both.as_str()), "{both}");

    assert_eq!(moving.move_keys(10).unwrap(), 1);
    assert_eq!(moving.move_keys(10).unwrap(), 0);
    moving.finish().unwrap();
    let both = cluster
        .node(0)
        .command(&["MGET", KEYS[0], KEYS[1]])
        .unwrap();
    assert_eq!(both, "value\nvalue");
}
