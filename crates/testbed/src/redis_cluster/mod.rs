//! A Redis Cluster.

mod form;
mod slot_move;
mod view;

use std::time::Duration;

pub use slot_move::SlotMove;

use view::{Entry, View};

use crate::until::{NotYet, must, until};
use crate::{Error, Options, RedisServer, replication};

/// How many hash slots a cluster has.
const SLOTS: u16 = 16_384;
/// A failover takes about 3 s; one that has to be tried again, some seconds more.
const FAILOVER_WITHIN: Duration = Duration::from_secs(30);

/// A private Redis Cluster of three masters and three replicas, with all slots.
///
/// Its nodes are numbered; at first, nodes 0, 1 and 2 are masters of a third of the slots each, and
/// nodes 3, 4 and 5 their replicas, in the same order. Replicas log in as a user of their own, so
/// that they can be shut out; everybody else needs no password. Everything ends with the handle, and
/// with this process.
#[derive(Debug)]
pub struct RedisCluster {
    nodes: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts one. When it returns, all nodes agree that it is whole, and the replicas are in sync.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no Redis is installed, [`Error::NotReached`] when the nodes do not
    /// find together, others when one of them cannot be started.
    pub fn start(options: &Options) -> Result<RedisCluster, Error> {
        let nodes = form::start(options)?;
        form::join(&nodes)?;
        let cluster = RedisCluster { nodes };
        form::await_whole(&cluster)?;
        Ok(cluster)
    }

    /// The URLs of the nodes, in their order.
    pub fn urls(&self) -> Vec<String> {
        let urls = self.nodes.iter().map(RedisServer::url);
        urls.map(str::to_owned).collect()
    }

    /// A node, to ask it something.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node(&self, node: usize) -> &RedisServer {
        &self.nodes[node]
    }

    /// A node, to kill, to freeze or to restart it. It comes back empty, with its old part in the
    /// cluster until it hears of a new one.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node_mut(&mut self, node: usize) -> &mut RedisServer {
        &mut self.nodes[node]
    }

    /// Waits until the replicas of a master have all that was written to it so far.
    ///
    /// # Errors
    /// When the node does not answer, or its replicas do not within 30 s.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn await_replicated(&self, master: usize) -> Result<(), Error> {
        replication::await_replicated(&self.nodes[master], &self.nodes)
    }

    /// Shuts the replicas of a master out, once they have all that was written to it so far: they
    /// keep that, and lag from now on. However long that lasts, a failover promotes one of them.
    ///
    /// # Errors
    /// When the node does not answer.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn stop_replicating(&self, master: usize) -> Result<(), Error> {
        replication::stop(&self.nodes[master], &self.nodes)
    }

    /// The node that is the master of a slot, as all nodes say that are not down or frozen.
    ///
    /// # Errors
    /// [`Error::NotReached`] when they do not agree within 30 s.
    pub fn master_of(&self, slot: u16) -> Result<usize, Error> {
        until("agreement on a master", FAILOVER_WITHIN, || {
            self.agreed_master(slot)
        })
    }

    /// Waits until a replica has taken over a slot from the node `other_than`: all nodes that are
    /// not down or frozen say so, and serve commands again.
    ///
    /// # Errors
    /// [`Error::NotReached`] when that does not happen within 30 s.
    pub fn await_master_of(&self, slot: u16, other_than: usize) -> Result<usize, Error> {
        until("a failover", FAILOVER_WITHIN, || {
            let master = self.agreed_master(slot)?;
            must(master != other_than, || format!("node {master} is master"))?;
            self.awake().try_for_each(must_serve)?;
            Ok(master)
        })
    }

    /// The node that replicates a master now, as this master says; the first one, if there are more.
    ///
    /// # Errors
    /// [`Error::NotReached`] when it has none within 30 s.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn replica_of(&self, master: usize) -> Result<usize, Error> {
        let server = &self.nodes[master];
        until("a replica", FAILOVER_WITHIN, || {
            let view = View::of(server)?;
            let replica = view.replicas_of(&view.myself()?.id).next();
            self.number_of(replica, || format!("none of node {master}"))
        })
    }

    /// Waits until a node is a replica in sync, such as an old master that came back.
    ///
    /// # Errors
    /// [`Error::NotReached`] when that does not happen within 30 s.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn await_replica(&self, node: usize) -> Result<(), Error> {
        until("a demotion", FAILOVER_WITHIN, || {
            replication::is_in_sync(&self.nodes[node])
        })
    }

    /// Moves a slot and its keys to another master, while clients go on.
    ///
    /// # Errors
    /// When a node does not answer, or `to` is no master.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn move_slot(&self, slot: u16, to: usize) -> Result<(), Error> {
        let moving = self.begin_move(slot, to)?;
        while moving.move_keys(1000)? > 0 {}
        moving.finish()
    }

    /// Begins to move a slot to another master: nodes answer with redirections until
    /// [`SlotMove::finish`].
    ///
    /// # Errors
    /// When a node does not answer, or `to` is no master.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn begin_move(&self, slot: u16, to: usize) -> Result<SlotMove<'_>, Error> {
        SlotMove::begin(self, slot, to)
    }

    fn awake(&self) -> impl Iterator<Item = &RedisServer> {
        self.nodes.iter().filter(|node| node.is_awake())
    }

    fn agreed_master(&self, slot: u16) -> Result<usize, NotYet> {
        let masters = self.awake().map(|node| {
            let view = View::of(node)?;
            let nobody = || format!("no master of slot {slot}, says the node on {}", node.port());
            self.number_of(view.master_of(slot), nobody)
        });
        let masters: Vec<usize> = masters.collect::<Result<_, _>>()?;
        let agreed = masters.iter().all(|master| *master == masters[0]);
        must(agreed && !masters.is_empty(), || {
            format!("masters {masters:?}")
        })?;
        Ok(masters[0])
    }

    fn number_of(
        &self,
        entry: Option<&Entry>,
        nobody: impl Fn() -> String,
    ) -> Result<usize, NotYet> {
        let of_port = |entry: &Entry| self.nodes.iter().position(|n| n.port() == entry.port);
        entry.and_then(of_port).ok_or_else(|| NotYet(nobody()))
    }
}

/// A node serves commands while it sees a master for each slot.
fn must_serve(node: &RedisServer) -> Result<(), NotYet> {
    let info = node.command(&["CLUSTER", "INFO"])?;
    must(info.contains("cluster_state:ok"), || {
        format!("the node on {} does not serve", node.port())
    })
}
