//! A slot on its way from one master to another.

use std::time::Duration;

use super::RedisCluster;
use crate::until::{must, until};
use crate::{Error, RedisServer};

/// How long the keys of one call may take, in milliseconds, as MIGRATE wants it.
const KEYS_WITHIN_MS: &str = "5000";
/// All nodes have heard of the new master after this time.
const KNOWN_WITHIN: Duration = Duration::from_secs(30);

/// A move that has begun and not come to its end.
///
/// The old master redirects clients (`ASK`) to the new one for keys that it does not have any more,
/// and commands of several keys are told to try again while some are here and some are there.
/// Dropping it leaves the slot as it is.
#[derive(Debug)]
pub struct SlotMove<'c> {
    cluster: &'c RedisCluster,
    slot: String,
    number: u16,
    from: usize,
    to: usize,
}

impl<'c> SlotMove<'c> {
    pub(super) fn begin(
        cluster: &'c RedisCluster,
        number: u16,
        to: usize,
    ) -> Result<SlotMove<'c>, Error> {
        let from = cluster.master_of(number)?;
        let slot = number.to_string();
        let id = |node: usize| cluster.nodes[node].command(&["CLUSTER", "MYID"]);
        let set = |node: usize, state, other: &str| {
            let words = ["CLUSTER", "SETSLOT", &slot, state, other];
            cluster.nodes[node].command(&words)
        };
        // In this order the new master knows of the slot before anybody is sent there.
        set(to, "IMPORTING", &id(from)?)?;
        set(from, "MIGRATING", &id(to)?)?;
        Ok(SlotMove {
            cluster,
            slot,
            number,
            from,
            to,
        })
    }

    /// Moves at most so many keys, and tells how many it moved.
    ///
    /// # Errors
    /// When one of the two masters does not answer.
    pub fn move_keys(&self, limit: u16) -> Result<usize, Error> {
        let limit = limit.to_string();
        let listed = self
            .source()
            .ask(&["CLUSTER", "GETKEYSINSLOT", &self.slot, &limit])?;
        let keys = listed.texts();
        if keys.is_empty() {
            return Ok(0);
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.migrate(&keys)?;
        Ok(keys.len())
    }

    /// Moves one key, whether it exists or not.
    ///
    /// # Errors
    /// When one of the two masters does not answer.
    pub fn move_key(&self, key: &str) -> Result<(), Error> {
        self.migrate(&[key])
    }

    /// Makes the new master the slot's master, once no key of it is left at the old one, and waits
    /// until all nodes know.
    ///
    /// # Errors
    /// [`Error::Refused`] while keys are left, [`Error::NotReached`] when a node does not hear of it
    /// within 30 s.
    pub fn finish(self) -> Result<(), Error> {
        let id = self.target().command(&["CLUSTER", "MYID"])?;
        let settle = ["CLUSTER", "SETSLOT", &self.slot, "NODE", &id];
        // The new master first: it must never be that nobody claims the slot.
        self.target().command(&settle)?;
        self.source().command(&settle)?;
        for master in self.other_masters()? {
            master.command(&settle)?;
        }
        until("the move of a slot", KNOWN_WITHIN, || {
            let master = self.cluster.agreed_master(self.number)?;
            must(master == self.to, || format!("node {master} has it"))
        })
    }

    fn migrate(&self, keys: &[&str]) -> Result<(), Error> {
        let port = self.target().port().to_string();
        let head = [
            "MIGRATE",
            "127.0.0.1",
            &port,
            "",
            "0",
            KEYS_WITHIN_MS,
            "KEYS",
        ];
        self.source().command(&[&head, keys].concat()).map(drop)
    }

    fn source(&self) -> &RedisServer {
        &self.cluster.nodes[self.from]
    }

    fn target(&self) -> &RedisServer {
        &self.cluster.nodes[self.to]
    }

    /// The masters that have nothing to do with the move.
    fn other_masters(&self) -> Result<Vec<&RedisServer>, Error> {
        let mut others = Vec::new();
        for node in self.cluster.awake() {
            let is_party = [self.source().port(), self.target().port()].contains(&node.port());
            if !is_party && node.info("replication", "role")?.as_deref() == Some("master") {
                others.push(node);
            }
        }
        Ok(others)
    }
}
