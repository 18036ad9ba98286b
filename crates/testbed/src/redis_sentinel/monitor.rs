//! One Sentinel.

use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::redis_recipe::{Setup, Twin};
use crate::resp::Reply;
use crate::until::{NotYet, must, until};
use crate::{Error, RedisServer};

/// The name of the monitored master.
pub(super) const NAME: &str = "testbed";
/// How many Sentinels must agree that the master is gone.
const QUORUM: u32 = 2;
/// A master that has not answered for so long is gone, in milliseconds.
///
/// A replica is promoted while its link has been down for less than ten times as long. It is also
/// what a busy machine may take from a healthy server without being noticed.
const DOWN_AFTER_MS: u32 = 1000;
/// A failover that has not come to its end after this time is tried again, in milliseconds.
const FAILOVER_TIMEOUT_MS: u32 = 3000;
/// Times that are not in the configuration, in milliseconds: how often a Sentinel looks at a healthy
/// server (instead of 10,000), a fourth of the time after which it overrules one that takes itself
/// for a master (of 8,000), and when a machine that stood still makes it distrust its own clock for
/// how long (for 30,000 after 2,000: a busy machine does stand still).
const TUNING: [&str; 8] = [
    "info-period",
    "1000",
    "publish-period",
    "500",
    "tilt-trigger",
    "60000",
    "tilt-period",
    "1000",
];
/// How long Sentinels may take to find what they are told to find.
const KNOWN_WITHIN: Duration = Duration::from_secs(30);
/// Where it keeps what it knows: it refuses to start without.
const FILE: &str = "sentinel.conf";

/// A Sentinel, which is a Redis without data.
#[derive(Debug)]
pub(super) struct Monitor(RedisServer);

impl Monitor {
    /// Starts one that watches the master on this port.
    pub(super) fn start(program: PathBuf, master: u16) -> Result<Monitor, Error> {
        let lines = [
            format!("sentinel monitor {NAME} 127.0.0.1 {master} {QUORUM}"),
            format!("sentinel down-after-milliseconds {NAME} {DOWN_AFTER_MS}"),
            format!("sentinel failover-timeout {NAME} {FAILOVER_TIMEOUT_MS}"),
        ];
        let setup = Setup {
            arguments: vec!["--sentinel".to_owned()],
            files: vec![(FILE, lines.join("\n") + "\n")],
            configuration: Some(FILE),
            twin: Twin::Nothing,
            // What it knows goes with it.
            farewell: Signal::SIGKILL,
        };
        let monitor = Monitor(RedisServer::start_as(program, setup)?);
        match monitor
            .0
            .command(&[&["SENTINEL", "DEBUG"], &TUNING[..]].concat())
        {
            // Before version 7 it cannot be told, and takes its time.
            Ok(_) | Err(Error::Refused { .. }) => Ok(monitor),
            Err(error) => Err(error),
        }
    }

    pub(super) fn url(&self) -> &str {
        self.0.url()
    }

    /// Where it says that the master is.
    pub(super) fn master_port(&self) -> Result<u16, NotYet> {
        let reply = self.0.ask(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME])?;
        let address = reply.texts();
        let port = address.get(1).and_then(|port| port.parse().ok());
        port.ok_or_else(|| NotYet(format!("a master at {address:?}")))
    }

    /// Waits until it sees the master, so many other Sentinels, and so many replicas in sync.
    pub(super) fn await_all_known(&self, sentinels: usize, replicas: usize) -> Result<(), Error> {
        until("the Sentinels' acquaintance", KNOWN_WITHIN, || {
            let master = self.0.ask(&["SENTINEL", "MASTER", NAME])?;
            must(has(&master, "flags", "master"), || master.to_string())?;
            self.must_list("SENTINELS", sentinels, |other| {
                has(other, "flags", "sentinel")
            })?;
            self.must_list("REPLICAS", replicas, |replica| {
                has(replica, "flags", "slave") && has(replica, "master-link-status", "ok")
            })
        })
    }

    /// What it lists must be so many, and each must be well.
    fn must_list(
        &self,
        kind: &str,
        wanted: usize,
        is_well: impl Fn(&Reply) -> bool,
    ) -> Result<(), NotYet> {
        let listed = self.0.ask(&["SENTINEL", kind, NAME])?;
        let well = match &listed {
            Reply::Items(items) => items.iter().filter(|item| is_well(item)).count(),
            _ => 0,
        };
        must(well == wanted, || {
            format!("{well} of {wanted} {kind} of the one on {}", self.0.port())
        })
    }
}

/// Makes the Sentinels known to each other at once.
///
/// By themselves they do it with the same message, by way of the master, every 2 s.
pub(super) fn introduce(monitors: &[Monitor], master: u16) -> Result<(), Error> {
    for monitor in monitors {
        let id = monitor.0.command(&["SENTINEL", "MYID"])?;
        // Address, epoch, and the same of the master: no failover has been yet.
        let port = monitor.0.port();
        let hello = format!("127.0.0.1,{port},{id},0,{NAME},127.0.0.1,{master},0");
        for other in monitors.iter().filter(|other| other.0.port() != port) {
            other
                .0
                .command(&["PUBLISH", "__sentinel__:hello", &hello])?;
        }
    }
    Ok(())
}

/// Whether a field has exactly this value: flags such as `s_down` stand in the same field.
fn has(reply: &Reply, field: &str, value: &str) -> bool {
    reply.field(field).as_deref() == Some(value)
}
