//! Two instances, and what happens to them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::call::get;
use crate::instance::Instance;

/// How long an instance is frozen: longer than its leases live, so that others take over.
const FROZEN: Duration = Duration::from_millis(1600);
/// Between two things that happen.
const CALM: Duration = Duration::from_millis(700);
/// An instance answers for its figures within this time, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The instances, started and ended by one hand.
pub(crate) struct Fleet {
    program: PathBuf,
    options: Vec<(String, String)>,
    instances: Vec<Instance>,
    addresses: Addresses,
    happened: Happened,
}

/// Where the instances serve; it changes with each start.
#[derive(Debug, Clone)]
pub(crate) struct Addresses(Arc<Mutex<[SocketAddr; 2]>>);

/// What has happened to the instances.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Happened {
    pub(crate) frozen: u64,
    /// Killed as they ran.
    pub(crate) killed: u64,
    /// Killed while they were frozen.
    pub(crate) killed_frozen: u64,
    /// By the figures of the instances, those of the killed ones up to a moment before.
    pub(crate) overruns: u64,
    pub(crate) takeovers: u64,
}

impl Fleet {
    /// Starts two instances.
    pub(crate) async fn start(
        program: PathBuf,
        options: Vec<(String, String)>,
    ) -> anyhow::Result<Fleet> {
        let first = Instance::start(&program, &options).await?;
        let second = Instance::start(&program, &options).await?;
        let addresses = Addresses(Arc::new(Mutex::new([first.listen, second.listen])));
        let instances = vec![first, second];
        Ok(Fleet {
            program,
            options,
            instances,
            addresses,
            happened: Happened::default(),
        })
    }

    /// Where its instances serve.
    pub(crate) fn addresses(&self) -> Addresses {
        self.addresses.clone()
    }

    /// Freezes one past its leases, and lets it wake; kills the other; freezes that, too, and kills it where it stands. Each
    /// killed one is started again. The other way round the next time; for about so long.
    pub(crate) async fn upset_for(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + time;
        let mut turn = 0;
        while Instant::now() < end {
            tokio::time::sleep(CALM).await;
            self.freeze(turn % 2).await?;
            tokio::time::sleep(CALM).await;
            self.kill((turn + 1) % 2).await?;
            tokio::time::sleep(CALM).await;
            self.kill_frozen((turn + 1) % 2).await?;
            turn += 1;
        }
        Ok(())
    }

    /// Stops both in order, and tells what has happened.
    pub(crate) async fn stop(mut self) -> anyhow::Result<Happened> {
        for which in 0..self.instances.len() {
            self.read_figures(which).await?;
        }
        for instance in &self.instances {
            instance.terminate()?;
        }
        for instance in self.instances {
            let status = instance.ended().await?;
            ensure!(
                status.success(),
                "an instance that was told to stop ended with {status}"
            );
        }
        Ok(self.happened)
    }

    async fn freeze(&mut self, which: usize) -> anyhow::Result<()> {
        let instance = &self.instances[which];
        instance.freeze().await?;
        tokio::time::sleep(FROZEN).await;
        instance.thaw()?;
        self.happened.frozen += 1;
        Ok(())
    }

    async fn kill(&mut self, which: usize) -> anyhow::Result<()> {
        self.read_figures(which).await?;
        self.kill_now(which).await?;
        self.happened.killed += 1;
        Ok(())
    }

    /// What it has begun is taken over while it is frozen, and it never wakes to hear that it was refused.
    async fn kill_frozen(&mut self, which: usize) -> anyhow::Result<()> {
        self.read_figures(which).await?;
        self.instances[which].freeze().await?;
        tokio::time::sleep(FROZEN).await;
        self.kill_now(which).await?;
        self.happened.killed_frozen += 1;
        Ok(())
    }

    async fn kill_now(&mut self, which: usize) -> anyhow::Result<()> {
        let instance = self.instances.remove(which);
        instance.kill_nine().await?;
        let next = Instance::start(&self.program, &self.options).await?;
        self.addresses.replace(which, next.listen);
        self.instances.insert(which, next);
        Ok(())
    }

    async fn read_figures(&mut self, which: usize) -> anyhow::Result<()> {
        let figures = get(self.instances[which].ops, "/metrics", PATIENCE)
            .await?
            .body;
        self.happened.overruns += figure(&figures, "fenced_section_overruns")?;
        self.happened.takeovers += figure(&figures, "fenced_section_takeovers")?;
        Ok(())
    }
}

impl Addresses {
    /// Where an instance serves now.
    pub(crate) fn of(&self, which: usize) -> SocketAddr {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[which % 2]
    }

    fn replace(&self, which: usize, address: SocketAddr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[which] = address;
    }
}

/// The value of a counter; one that has not counted yet is not shown.
fn figure(figures: &str, name: &str) -> anyhow::Result<u64> {
    let line = figures
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(Ok(0), |value| {
        value.parse().with_context(|| format!("{name} is {value}"))
    })
}
