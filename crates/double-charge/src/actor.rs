//! A worker process as the conductor sees it: started, awaited, frozen, woken, ordered.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::log::Log;
use crate::patience::PATIENCE;
use crate::wire::{Event, Job, Line, Order};

/// A worker process. It dies with this program, and at the latest when it is dropped.
pub(crate) struct Actor {
    name: char,
    pid: Pid,
    /// Until its end is awaited.
    child: Option<Child>,
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
            pid: Pid::from_raw(pid),
            child: Some(child),
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
        let pid = self.pid;
        kill(pid, Signal::SIGSTOP)?;
        let stopped = move || waitpid(pid, Some(WaitPidFlag::WUNTRACED));
        match tokio::task::spawn_blocking(stopped).await?? {
            WaitStatus::Stopped(..) => self.note(Event::Frozen),
            other => bail!("worker {} was to be stopped, and {other:?} came", self.name),
        }
        Ok(())
    }

    /// Lets the process run on. What it was ordered meanwhile is the first thing that it finds.
    pub(crate) fn wake(&mut self) -> anyhow::Result<()> {
        self.note(Event::Woken);
        Ok(kill(self.pid, Signal::SIGCONT)?)
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
        // Its output has ended, so the process is about to.
        let mut child = self.child.take().context("a worker ends once")?;
        let status = tokio::task::spawn_blocking(move || child.wait()).await??;
        if !status.success() {
            bail!("worker {} ended with {status}", self.name);
        }
        Ok(())
    }

    /// Adds to the log what happened to it from outside.
    pub(crate) fn note(&self, event: Event) {
        self.log.add(self.name, self.pid.as_raw(), event);
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
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
