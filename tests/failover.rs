//! Redis fails over to a replica that lags: it grants a lease that somebody has, under a number that
//! somebody has. The query is paid for once all the same.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use credit_ledger::{Account, Ledger};
use fence_guard::{Guard, Reason};
use fenced_section::{EnterError, EnterOptions, LeaseLock, Prefix, Resource, Section, Sections};
use fenced_section::{Servers, Ttl};
use promises::{MustRefuse, World, charge, resource};
use testbed::{Options, RedisCluster, RedisSentinel};
use tokio::task::block_in_place;

/// No test outlives it: whoever gets such a lease a second time gets it from a Redis that forgot it.
const LONG: EnterOptions = EnterOptions::for_ttl(Ttl::MAX);

/// A failover takes some seconds, on a busy machine many.
const BOUND: Duration = Duration::from_secs(60);

/// Replicas that can be made to lag, and a failover to one of them.
trait Topology {
    fn servers(&self) -> Servers;
    /// Everything until now is on the replicas; nothing from now on will be.
    fn lag(&self);
    /// Kills the master of the resource.
    fn kill(&mut self);
}

struct Behind(RedisSentinel);

struct Within(RedisCluster);

/// One process: its sections, and the ledger on the same guard.
struct Process {
    sections: Sections,
    ledger: Ledger,
}

impl Topology for Behind {
    fn servers(&self) -> Servers {
        Servers::sentinel(self.0.sentinels(), self.0.name())
    }

    fn lag(&self) {
        self.0.stop_replicating(0).unwrap();
    }

    fn kill(&mut self) {
        self.0.node_mut(0).kill_nine().unwrap();
    }
}

impl Topology for Within {
    fn servers(&self) -> Servers {
        Servers::cluster(self.0.urls())
    }

    fn lag(&self) {
        let master = self.master();
        self.0.stop_replicating(master).unwrap();
    }

    fn kill(&mut self) {
        let master = self.master();
        self.0.node_mut(master).kill_nine().unwrap();
    }
}

impl Within {
    fn master(&self) -> usize {
        self.master_of(&resource("query"))
    }

    fn master_of(&self, resource: &Resource) -> usize {
        let key = prefix().lease_key(resource);
        let slot = self.0.node(0).command(&["CLUSTER", "KEYSLOT", &key]);
        self.0.master_of(slot.unwrap().parse().unwrap()).unwrap()
    }
}

impl Process {
    async fn start(world: &World, topology: &impl Topology) -> Process {
        let locks = LeaseLock::connect(topology.servers(), prefix()).await;
        let guard = Guard::new(world.pool().clone());
        Process {
            ledger: Ledger::on(&guard),
            sections: Sections::new(locks.unwrap(), guard),
        }
    }

    /// Enters; again and again while Redis is away.
    async fn enter(&self) -> Section {
        let started = Instant::now();
        loop {
            match self.sections.enter(&resource("query"), &LONG).await {
                Ok(section) => return section,
                Err(EnterError::Redis(error)) => {
                    assert!(started.elapsed() < BOUND, "never entered: {error}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

fn prefix() -> Prefix {
    Prefix::new("app:").unwrap()
}

/// `ahead` sections come between the last thing that the replica hears and the holder that is frozen.
async fn pays_once(mut topology: impl Topology, ahead: u64) {
    let world = World::new().await;
    let alice: Account = world.account("alice", 10).await;
    let (a, b) = (
        Process::start(&world, &topology).await,
        Process::start(&world, &topology).await,
    );
    assert!(a.enter().await.leave().await.is_clean());
    block_in_place(|| topology.lag());
    for _ in 0..ahead {
        assert!(a.enter().await.leave().await.is_clean());
    }
    let zombie = a.enter().await;
    assert_eq!(zombie.fence().get(), 2 + ahead);

    block_in_place(|| topology.kill());
    let section = b.enter().await;
    assert!(section.is_takeover(), "the zombie is open");
    assert!(section.fence() > zombie.fence());
    // Redis minted number 2 for it, which is the zombie's own or lower.
    assert_eq!(b.sections.summary().healed, 1);

    let query = charge(&alice, 1);
    let late = a.ledger.charge(zombie.open().unwrap(), &query);
    let refusal = late.await.must_refuse();
    assert_eq!(refusal.reason(), Reason::Stale);
    let query = charge(&alice, 1);
    let paid = b.ledger.charge(section.open().unwrap(), &query);
    paid.await.unwrap();
    assert_eq!(world.charges(&alice).await.len(), 1);
    let findings = world.findings().await;
    assert!(findings.is_empty(), "{findings:?}");
    assert!(section.leave().await.is_clean());
}

fn sentinel() -> Behind {
    Behind(block_in_place(|| RedisSentinel::start(&Options::throw_away())).unwrap())
}

fn cluster() -> Within {
    Within(block_in_place(|| RedisCluster::start(&Options::throw_away())).unwrap())
}

/// C23: the very number of the zombie is minted again, so the guard says conflict.
#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_sentinel_brings_back_is_healed_and_its_first_holder_stays_refused() {
    pays_once(sentinel(), 0).await;
}

/// C22: numbers fall, so the guard says stale to the only live holder.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_fall_behind_sentinel_are_healed_and_the_higher_zombie_stays_refused() {
    pays_once(sentinel(), 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_a_cluster_brings_back_is_healed_and_its_first_holder_stays_refused() {
    pays_once(cluster(), 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_fall_in_a_cluster_are_healed_and_the_higher_zombie_stays_refused() {
    pays_once(cluster(), 3).await;
}

/// Several resources at once, on three masters: all or none, and each is open in the guard.
#[tokio::test(flavor = "multi_thread")]
async fn a_set_is_entered_across_the_nodes_of_a_cluster_all_or_none() {
    let world = World::new().await;
    let cluster = cluster();
    let (a, b) = (
        Process::start(&world, &cluster).await,
        Process::start(&world, &cluster).await,
    );
    let names: Vec<_> = (0..12).map(|i| resource(&format!("r{i}"))).collect();
    let nodes: BTreeSet<_> = names.iter().map(|name| cluster.master_of(name)).collect();
    assert_eq!(nodes.len(), 3, "the names are on all masters");

    let set = a.sections.enter_all(&names, &LONG).await.unwrap();
    for open in set.open().unwrap() {
        let paid = charge(
            &world.account(open.permit().resource().as_str(), 1).await,
            1,
        );
        a.ledger.charge(open, &paid).await.unwrap();
    }
    let refused = b.sections.enter_all(&names, &LONG).await;
    assert!(refused.unwrap_err().is_contention());
    for left in set.leave().await {
        assert!(left.is_clean(), "{left}");
    }
    let set = b.sections.enter_all(&names, &LONG).await.unwrap();
    assert!(set.sections().iter().all(|section| !section.is_takeover()));
}
