//! Who has which slots of a Cluster.

use redis::{FromRedisValue, RedisResult, Value};

/// Where a command is sent that has no key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    /// There is but one.
    Only,
    /// A node of a Cluster.
    Of {
        /// Its host.
        host: String,
        /// Its port.
        port: u16,
    },
}

/// What one node says of the masters: first slot, last slot, host and port of each range.
#[derive(Debug, Default, Clone)]
pub(super) struct View(Vec<(u16, u16, String, u16)>);

impl View {
    /// Reads the answer to `CLUSTER SLOTS`.
    pub(super) fn read(slots: Value) -> RedisResult<View> {
        let mut ranges = Vec::new();
        for range in Vec::<Value>::from_redis_value(slots)? {
            let Value::Array(mut parts) = range else {
                continue;
            };
            // The replicas, and further facts about a node, are of no interest.
            parts.truncate(3);
            if let Some(Value::Array(node)) = parts.last_mut() {
                node.truncate(2);
            }
            let parts = Value::Array(parts);
            let (first, last, (host, port)) = <(u16, u16, (String, u16))>::from_redis_value(parts)?;
            ranges.push((first, last, host, port));
        }
        Ok(View(ranges))
    }

    /// Host and port of the node that has a slot.
    pub(super) fn master_of(&self, slot: u16) -> Option<(&str, u16)> {
        let has = |(first, last, ..): &&(u16, u16, String, u16)| (*first..=*last).contains(&slot);
        let range = self.0.iter().find(has);
        range.map(|(_, _, host, port)| (host.as_str(), *port))
    }

    /// The masters that have slots.
    pub(super) fn masters(self) -> Vec<Node> {
        let node = |(_, _, host, port)| Node::Of { host, port };
        let mut nodes: Vec<_> = self.0.into_iter().map(node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}
