//! How six nodes become a cluster.

use std::time::Duration;

use super::view::View;
use super::{RedisCluster, SLOTS, must_serve};
use crate::redis_recipe::{Setup, Twin};
use crate::until::{must, until};
use crate::{Error, Options, RedisServer, find, replication};

const MASTERS: usize = 3;
const NODES: usize = 2 * MASTERS;
/// A node that has not answered for so long is down, in milliseconds. It is also what a busy machine
/// may take from a healthy node without being noticed.
const NODE_TIMEOUT_MS: &str = "1000";
/// It takes at least 2 s: for so long a master of Redis does not serve after its start.
const WHOLE_WITHIN: Duration = Duration::from_secs(60);

/// Starts the nodes, none of which knows another one.
pub(super) fn start(options: &Options) -> Result<Vec<RedisServer>, Error> {
    let program = find::installed_redis()?;
    let setup = || Setup {
        twin: Twin::Bus,
        ..replication::setup(options)
            .with(&["--cluster-enabled", "yes"])
            .with(&["--cluster-node-timeout", NODE_TIMEOUT_MS])
            // Otherwise a replica that has lagged for long is not promoted.
            .with(&["--cluster-replica-validity-factor", "0"])
    };
    (0..NODES)
        .map(|_| RedisServer::start_as(program.clone(), setup()))
        .collect()
}

/// Makes each node known to each other one, hands the slots out, and makes half of them replicas.
pub(super) fn join(nodes: &[RedisServer]) -> Result<(), Error> {
    for (number, node) in nodes.iter().enumerate() {
        // Different from the start, so that no two masters have to settle whose is the newer claim.
        let epoch = (number + 1).to_string();
        node.command(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch])?;
    }
    for (number, node) in nodes.iter().enumerate() {
        for other in &nodes[number + 1..] {
            let port = other.port().to_string();
            node.command(&["CLUSTER", "MEET", "127.0.0.1", &port])?;
        }
    }
    let (masters, replicas) = nodes.split_at(MASTERS);
    for (number, master) in masters.iter().enumerate() {
        add_slots(master, number)?;
    }
    for (master, replica) in masters.iter().zip(replicas) {
        let master = master.command(&["CLUSTER", "MYID"])?;
        until("the nodes' acquaintance", WHOLE_WITHIN, || {
            Ok(replica.command(&["CLUSTER", "REPLICATE", &master])?)
        })?;
    }
    Ok(())
}

/// Gives a master its third of the slots. Ranges can be named only since Redis 7.
fn add_slots(master: &RedisServer, number: usize) -> Result<(), Error> {
    let all = 0..SLOTS;
    let slots = all.filter(|slot| usize::from(*slot) * MASTERS / usize::from(SLOTS) == number);
    let slots: Vec<String> = slots.map(|slot| slot.to_string()).collect();
    let words = ["CLUSTER", "ADDSLOTS"].into_iter();
    let words: Vec<&str> = words.chain(slots.iter().map(String::as_str)).collect();
    master.command(&words).map(drop)
}

/// Waits until each node serves commands and sees all others in their parts.
pub(super) fn await_whole(cluster: &RedisCluster) -> Result<(), Error> {
    until("the forming of a cluster", WHOLE_WITHIN, || {
        for node in &cluster.nodes {
            must_serve(node)?;
            let view = View::of(node)?;
            must(view.is_whole(MASTERS, NODES), || format!("{view:?}"))?;
        }
        let replicas = &cluster.nodes[MASTERS..];
        replicas.iter().try_for_each(replication::is_in_sync)
    })
}
