//! A worker process as the conductor sees it: started, awaited, frozen, woken, ordered.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::log::Log;
use crate::wire::{Event, Job, Line, Order};

/// How long a worker may take to the point that it is awaited at. Far more than it needs: only a
/// machine that stands still, or a bug, runs into it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A worker process. It dies with this program, and at the latest when it is dropped.
pub(crate) struct Actor {
    name: char,
    child: Child,
    orders: ChildStdin,
    /// Says that the worker waits after its read; closes when its output ends.
    waits: mpsc::Receiver<()>,
    log: Log,
}

impl Actor {
    /// Starts this very program as a worker, and hands it its job.
    pub(crate) async fn start(name: char, job: &Job, log: &Log) -> anyhow::Result<Actor> {
        let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
        command
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = testbed::spawn_tied(command, Signal::SIGKILL)
            .with_context(|| format!("worker {name} cannot be started"))?;
        let orders = ChildStdin::from_std(child.stdin.take().context("no pipe to the worker")?)?;
        let output = ChildStdout::from_std(child.stdout.take().context("no pipe from it")?)?;
        let (reached, waits) = mpsc::channel(1);
        let pid = child.id().cast_signed();
        tokio::spawn(listen(output, name, pid, log.clone(), reached));
        let mut actor = Actor {
            name,
            child,
            orders,
            waits,
            log: log.clone(),
        };
        actor.send(&serde_json::to_string(job)?).await?;
        Ok(actor)
    }

    /// Waits until it has acquired and read, and waits itself.
    pub(crate) async fn has_read(&mut self) -> anyhow::Result<()> {
        match timeout(PATIENCE, self.waits.recv()).await {
            Ok(Some(())) => Ok(()),
            Ok(None) => bail!("worker {} ended before it had read", self.name),
            Err(_) => bail!("worker {} has not read within {PATIENCE:?}", self.name),
        }
    }

    /// Stops the process, and waits until the kernel says that it is stopped.
    pub(crate) async fn freeze(&mut self) -> anyhow::Result<()> {
        let pid = self.pid();
        kill(pid, Signal::SIGSTOP)?;
        tokio::task::spawn_blocking(move || waitid(Id::Pid(pid), WaitPidFlag::WSTOPPED)).await??;
        self.note(Event::Frozen);
        Ok(())
    }

    /// Lets the process run on. What it was ordered meanwhile is the first thing that it finds.
    pub(crate) fn wake(&mut self) -> anyhow::Result<()> {
        self.note(Event::Woken);
        Ok(kill(self.pid(), Signal::SIGCONT)?)
    }

    /// Orders a worker that waits.
    pub(crate) async fn order(&mut self, order: Order) -> anyhow::Result<()> {
        self.send(&serde_json::to_string(&order)?).await
    }

    /// Waits until the process has ended, and all that it said is in the log.
    pub(crate) async fn ends(mut self) -> anyhow::Result<()> {
        let drained = timeout(PATIENCE, async {
            while self.waits.recv().await.is_some() {}
        })
        .await;
        if drained.is_err() {
            bail!("worker {} has not ended within {PATIENCE:?}", self.name);
        }
        // Its output has ended, so the process is about to. Waiting without reaping leaves its number
        // taken until the line after it.
        let (pid, flags) = (self.pid(), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        tokio::task::spawn_blocking(move || waitid(Id::Pid(pid), flags)).await??;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("worker {} ended with {status}", self.name);
        }
        Ok(())
    }

    /// Adds to the log what happened to it from outside.
    pub(crate) fn note(&self, event: Event) {
        self.log.add(self.name, self.pid().as_raw(), event);
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    async fn send(&mut self, line: &str) -> anyhow::Result<()> {
        let gone = || format!("worker {} does not listen any more", self.name);
        self.orders
            .write_all(format!("{line}\n").as_bytes())
            .await
            .with_context(gone)
    }
}

async fn listen(output: ChildStdout, name: char, pid: i32, log: Log, reached: mpsc::Sender<()>) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(Line::Event(event)) => log.add(name, pid, event),
            Ok(Line::WaitsAfterRead) => {
                // Fails only when nobody awaits it any more.
                let _ = reached.send(()).await;
            }
            Err(error) => log.add(
                name,
                pid,
                Event::Failed {
                    error: format!("{error}: {line}"),
                },
            ),
        }
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        // A frozen process takes SIGKILL, too. One that has ended is still ours until it is awaited, so
        // its number cannot be another's.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
