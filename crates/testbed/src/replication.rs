//! A master and its replicas, and how the replicas are made to lag.

use std::time::Duration;

use crate::redis_recipe::Setup;
use crate::until::{NotYet, must, until};
use crate::{Error, Options, RedisServer};

/// A replica that is not in sync after this time never will be: there is next to no data.
const IN_SYNC_WITHIN: Duration = Duration::from_secs(30);
/// The user of replicas, and of nobody else, so that they can be shut out.
const USER: &str = "replication";
/// Not secret: the servers are reached by the loopback address alone, where others need none.
const PASSWORD: &str = "replication";

/// A Redis that replicates, and is replicated from, as a user of its own.
pub(crate) fn setup(options: &Options) -> Setup {
    let password = format!(">{PASSWORD}");
    Setup::one_of_several(options)
        .with(&["--user", USER, "on", &password])
        .with(&["+psync", "+replconf", "+ping"])
        .with(&["--masteruser", USER, "--masterauth", PASSWORD])
        // By way of the disk: without it, a new replica gets nothing more until it says, up to a
        // second later, that it has loaded the first data, although its link counts as up.
        .with(&["--repl-diskless-sync", "no"])
}

/// Shuts the replicas out, once they have all that was written so far. They keep that, and answer
/// everybody else.
pub(crate) fn stop(master: &RedisServer, nodes: &[RedisServer]) -> Result<(), Error> {
    await_replicated(master, nodes)?;
    master.command(&["ACL", "SETUSER", USER, "off"])?;
    master.command(&["CLIENT", "KILL", "TYPE", "replica"])?;
    until("the end of replication", IN_SYNC_WITHIN, || {
        let left = number_of_replicas(master)?;
        must(left == 0, || format!("{left} replicas"))
    })
}

/// Waits until the replicas of `master` among `nodes` have all that was written so far.
pub(crate) fn await_replicated(master: &RedisServer, nodes: &[RedisServer]) -> Result<(), Error> {
    let written = number(master, "master_repl_offset")?;
    let port = master.port().to_string();
    until("replication", IN_SYNC_WITHIN, || {
        let mut level = 0;
        for node in nodes.iter().filter(|node| node.is_awake()) {
            if node.info("replication", "master_port")?.as_ref() == Some(&port) {
                is_in_sync(node)?;
                let has = number(node, "slave_repl_offset")?;
                must(has >= written, || format!("{has} of {written} bytes"))?;
                level += 1;
            }
        }
        let all = number_of_replicas(master)?;
        must(level == all, || format!("{level} of {all} replicas"))
    })
}

/// Waits until each of `replicas` has the data of a master, and goes on getting it.
pub(crate) fn await_in_sync(replicas: &[RedisServer]) -> Result<(), Error> {
    until("the first replication", IN_SYNC_WITHIN, || {
        replicas.iter().try_for_each(is_in_sync)
    })
}

/// Whether this is a replica whose link to its master is up.
pub(crate) fn is_in_sync(replica: &RedisServer) -> Result<(), NotYet> {
    let link = replica.info("replication", "master_link_status")?;
    must(link.as_deref() == Some("up"), || {
        let link = link
            .as_deref()
            .unwrap_or("that of a master, which has none");
        format!("the link of the node on {} is {link}", replica.port())
    })
}

fn number_of_replicas(master: &RedisServer) -> Result<u64, Error> {
    number(master, "connected_slaves")
}

/// A number of the section `replication`. What a server does not tell is none yet.
fn number(server: &RedisServer, field: &str) -> Result<u64, Error> {
    let text = server.info("replication", field)?;
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
}
