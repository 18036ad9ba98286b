//! A Redis master with replicas, and the Sentinels that replace the master when it is gone.

mod monitor;

use std::time::Duration;

use monitor::{Monitor, NAME};

use crate::until::{NotYet, must, until};
use crate::{Error, Options, RedisServer, find, replication};

/// One Sentinel may be gone, and the other two still agree.
const SENTINELS: usize = 3;
/// A failover takes about 3 s; one that has to be tried again, about 6 s more. Before version 7,
/// Sentinels do nothing for 30 s when the machine stood still for two.
const FAILOVER_WITHIN: Duration = Duration::from_secs(60);
/// It takes about 4 s, before version 7 at least 8 s.
const DEMOTED_WITHIN: Duration = Duration::from_secs(60);

/// A private Redis with replicas, watched by three private Sentinels of which two must agree.
///
/// The data nodes are numbered, the first master is node 0. Replicas log in as a user of their own,
/// so that they can be shut out; everybody else needs no password. Everything ends with the handle,
/// and with this process.
#[derive(Debug)]
pub struct RedisSentinel {
    // Dropped first, so that they do not see the nodes go.
    monitors: Vec<Monitor>,
    nodes: Vec<RedisServer>,
}

impl RedisSentinel {
    /// Starts a master, one replica, and three Sentinels. When it returns, the replica is in sync,
    /// and the Sentinels know it and each other.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no Redis is installed, [`Error::NotReached`] when the servers do
    /// not find together, others when one of them cannot be started.
    pub fn start(options: &Options) -> Result<RedisSentinel, Error> {
        RedisSentinel::with_replicas(1, options)
    }

    /// The same with so many replicas.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn with_replicas(replicas: usize, options: &Options) -> Result<RedisSentinel, Error> {
        let program = find::installed_redis()?;
        let nodes: Vec<RedisServer> = (0..=replicas)
            .map(|_| RedisServer::start_as(program.clone(), replication::setup(options)))
            .collect::<Result<_, _>>()?;
        let master = nodes[0].port();
        for replica in &nodes[1..] {
            replica.command(&["REPLICAOF", "127.0.0.1", &master.to_string()])?;
        }
        // Sentinels ask a master for its replicas at once, and then only every 10 s.
        replication::await_in_sync(&nodes[1..])?;
        let monitors: Vec<Monitor> = (0..SENTINELS)
            .map(|_| Monitor::start(program.clone(), master))
            .collect::<Result<_, _>>()?;
        monitor::introduce(&monitors, master)?;
        for monitor in &monitors {
            monitor.await_all_known(SENTINELS - 1, replicas)?;
        }
        Ok(RedisSentinel { monitors, nodes })
    }

    /// The name by which Sentinels know the master.
    pub fn name(&self) -> &str {
        NAME
    }

    /// The URLs of the Sentinels.
    pub fn sentinels(&self) -> Vec<String> {
        let urls = self.monitors.iter().map(Monitor::url);
        urls.map(str::to_owned).collect()
    }

    /// The URLs of the data nodes, in their order.
    pub fn urls(&self) -> Vec<String> {
        let urls = self.nodes.iter().map(RedisServer::url);
        urls.map(str::to_owned).collect()
    }

    /// A data node, to ask it something.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node(&self, node: usize) -> &RedisServer {
        &self.nodes[node]
    }

    /// A data node, to kill, to freeze or to restart it. It comes back empty, and as a master of its
    /// own, until [`await_replica`](Self::await_replica) returns.
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
    /// keep that, and lag from now on. A failover that begins within about eight seconds still
    /// promotes one of them.
    ///
    /// # Errors
    /// When the node does not answer.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn stop_replicating(&self, master: usize) -> Result<(), Error> {
        replication::stop(&self.nodes[master], &self.nodes)
    }

    /// The node that all Sentinels name as the master.
    ///
    /// # Errors
    /// [`Error::NotReached`] when they do not agree within a bound, or name a node that does not
    /// answer as a master.
    pub fn master(&self) -> Result<usize, Error> {
        until("agreement on a master", FAILOVER_WITHIN, || {
            self.agreed_master()
        })
    }

    /// Waits until the Sentinels have replaced the master `other_than`, and all of them name the new
    /// one, which answers as a master.
    ///
    /// # Errors
    /// [`Error::NotReached`] when that does not happen within 60 s.
    pub fn await_master_other_than(&self, other_than: usize) -> Result<usize, Error> {
        until("a failover", FAILOVER_WITHIN, || {
            let master = self.agreed_master()?;
            must(master != other_than, || format!("node {master} is master"))?;
            Ok(master)
        })
    }

    /// Waits until the Sentinels have made a node that came back a replica, and it is in sync. It
    /// takes them some seconds.
    ///
    /// # Errors
    /// [`Error::NotReached`] when that does not happen within 60 s.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn await_replica(&self, node: usize) -> Result<(), Error> {
        until("a demotion", DEMOTED_WITHIN, || {
            replication::is_in_sync(&self.nodes[node])
        })
    }

    fn agreed_master(&self) -> Result<usize, NotYet> {
        let ports = self.monitors.iter().map(Monitor::master_port);
        let ports: Vec<u16> = ports.collect::<Result<_, _>>()?;
        let agreed = ports.iter().all(|port| *port == ports[0]);
        must(agreed, || format!("the masters on {ports:?}"))?;
        let of_port = |node: &RedisServer| node.port() == ports[0];
        let master = self.nodes.iter().position(of_port);
        let master = master.ok_or_else(|| NotYet(format!("a stranger on {}", ports[0])))?;
        let role = self.nodes[master].info("replication", "role")?;
        must(role.as_deref() == Some("master"), || {
            format!("node {master} says that it is a {role:?}")
        })?;
        Ok(master)
    }
}
