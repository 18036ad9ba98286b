//! A user that may touch its own prefix, and no more than the README says it needs, beyond one server.

use lease_lock::{LeaseLock, Servers};
use testbed::{Options, RedisSentinel, RedisServer};

use crate::cluster;
use crate::support::{blocking, client, has, is_woken, prefix, resource};

/// What the README says of the user `app`: the command that makes it, and what it also needs elsewhere.
struct Documented {
    command: Vec<&'static str>,
}

impl Documented {
    fn for_one_server() -> Documented {
        let readme = include_str!("../../README.md");
        let line = readme
            .lines()
            .find(|line| line.starts_with("ACL SETUSER app "));
        Documented {
            command: line.expect("the README has the line").split(' ').collect(),
        }
    }

    /// With the words in the first backquotes after `place`.
    fn and(mut self, place: &str) -> Documented {
        let readme = include_str!("../../README.md");
        let (_, rest) = readme
            .split_once(place)
            .expect("the README names the place");
        let words = rest.split('`').nth(1).expect("words in backquotes");
        self.command.extend(words.split(' '));
        self
    }

    fn give_to(&self, server: &RedisServer) {
        let answer = blocking(|| server.command(&self.command));
        assert_eq!(answer.trim(), "OK");
    }
}

/// Takes a lease, renews it, waits for it with another client, is woken, and releases it.
async fn does_everything(servers: Servers, server: &RedisServer, name: &str) {
    let servers = servers.with_login("app", "secret");
    let (lock, waiter) = (client(servers.clone()).await, client(servers).await);
    is_woken(server, &lock, &waiter, &resource(name)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_limited_to_its_prefix_does_everything_in_a_cluster() {
    let cluster = cluster::start();
    if !has(cluster.node(0), "ssubscribe") {
        return;
    }
    let user = Documented::for_one_server().and("In a Cluster also ");
    (0..6).for_each(|node| user.give_to(cluster.node(node)));
    for (node, r) in cluster::one_per_master(&cluster).iter().enumerate() {
        let servers = cluster::servers(&cluster);
        does_everything(servers, cluster.node(node), r.as_str()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_limited_to_its_prefix_does_everything_behind_sentinel() {
    let set = blocking(|| RedisSentinel::start(&Options::throw_away()));
    let user = Documented::for_one_server().and("behind Sentinel also ");
    (0..2).for_each(|node| user.give_to(set.node(node)));
    let servers = Servers::sentinel(set.sentinels(), set.name());
    does_everything(servers, set.node(0), "r").await;
}

#[cfg(feature = "tls")]
#[tokio::test(flavor = "multi_thread")]
async fn a_user_limited_to_its_prefix_does_everything_over_tls() {
    let Some(server) = crate::tls::start() else {
        return;
    };
    Documented::for_one_server().give_to(server.server());
    let servers = Servers::one(server.url()).with_root_certificate(server.ca_pem());
    does_everything(servers.clone(), server.server(), "r").await;

    let stranger = servers.with_login("app", "wrong");
    let refused = LeaseLock::connect(stranger, prefix()).await;
    assert!(refused.is_err(), "{refused:?}");
}
