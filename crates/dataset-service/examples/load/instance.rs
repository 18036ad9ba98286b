//! An instance of the service as a process of its own: started, frozen, killed, told to stop.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::ChildStdout;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// An instance serves, or has ended, within this time, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many of its last lines tell what went wrong.
const LOG_LINES: usize = 200;

/// A running instance. It dies with this process, and at the latest when it is dropped.
#[derive(Debug)]
pub(crate) struct Instance {
    /// Until its end is awaited.
    child: Option<Child>,
    pid: Pid,
    /// Where it serves customers.
    pub(crate) listen: SocketAddr,
    /// Where it serves operators.
    pub(crate) ops: SocketAddr,
    log: Log,
}

/// Its last lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<VecDeque<String>>>);

/// Where an instance serves: customers, operators.
type Addresses = (SocketAddr, SocketAddr);

impl Instance {
    /// Starts the program with `serve`, on free ports, and waits until it serves.
    ///
    /// The options come as variables: URLs may hold passwords, which an argument would show.
    pub(crate) async fn start(
        program: &Path,
        options: &[(String, String)],
    ) -> anyhow::Result<Instance> {
        let mut command = Command::new(program);
        command
            .arg("serve")
            .env("LISTEN", "127.0.0.1:0")
            .env("OPS_LISTEN", "127.0.0.1:0")
            .env("RUST_LOG", "info")
            .envs(options.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = testbed::spawn_tied(command, Signal::SIGKILL)
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let output = ChildStdout::from_std(child.stdout.take().context("no pipe from it")?)?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let (serves, serving) = oneshot::channel();
        let log = Log::default();
        tokio::spawn(listen(output, log.clone(), serves));
        let unspecified = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut instance = Instance {
            child: Some(child),
            pid,
            listen: unspecified,
            ops: unspecified,
            log,
        };
        match timeout(PATIENCE, serving).await {
            Ok(Ok((listen, ops))) => {
                (instance.listen, instance.ops) = (listen, ops);
                Ok(instance)
            }
            Ok(Err(_)) => bail!("the instance ended before it served:\n{}", instance.log()),
            Err(_) => bail!(
                "the instance does not serve within {PATIENCE:?}:\n{}",
                instance.log()
            ),
        }
    }

    /// Its last lines.
    pub(crate) fn log(&self) -> String {
        let lines = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Stops the process where it stands, and waits until the kernel says that it is stopped.
    pub(crate) async fn freeze(&self) -> anyhow::Result<()> {
        let pid = self.pid;
        kill(pid, Signal::SIGSTOP)?;
        let stopped = spawn_blocking(move || waitpid(pid, Some(WaitPidFlag::WUNTRACED))).await??;
        ensure!(
            matches!(stopped, WaitStatus::Stopped(..)),
            "to be stopped, and {stopped:?} came"
        );
        Ok(())
    }

    /// Lets the process run on.
    pub(crate) fn thaw(&self) -> anyhow::Result<()> {
        Ok(kill(self.pid, Signal::SIGCONT)?)
    }

    /// Tells it to stop.
    pub(crate) fn terminate(&self) -> anyhow::Result<()> {
        Ok(kill(self.pid, Signal::SIGTERM)?)
    }

    /// Kills it with SIGKILL, and waits for its end.
    pub(crate) async fn kill_nine(self) -> anyhow::Result<()> {
        kill(self.pid, Signal::SIGKILL)?;
        self.ended().await?;
        Ok(())
    }

    /// Waits for its end.
    pub(crate) async fn ended(mut self) -> anyhow::Result<ExitStatus> {
        let mut child = self.child.take().context("an instance ends once")?;
        let ended = spawn_blocking(move || child.wait());
        match timeout(PATIENCE, ended).await {
            Ok(status) => Ok(status??),
            Err(_) => {
                kill(self.pid, Signal::SIGKILL)?;
                bail!(
                    "the instance has not ended within {PATIENCE:?}:\n{}",
                    self.log()
                )
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // A frozen process takes SIGKILL, too. One that has ended is still ours until it is awaited, so its
        // number cannot be another's.
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Keeps what it says, to the end: a pipe that nobody reads would stop it.
async fn listen(output: ChildStdout, log: Log, serves: oneshot::Sender<Addresses>) {
    let mut serves = Some(serves);
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(addresses) = addresses(&line)
            && let Some(serves) = serves.take()
        {
            // Fails only when nobody waits for it any more.
            let _ = serves.send(addresses);
        }
        let mut kept = log.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LOG_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}

/// Where it serves, from the line that says so.
fn addresses(line: &str) -> Option<Addresses> {
    let line: Value = serde_json::from_str(line).ok()?;
    let address = |name: &str| line[name].as_str()?.parse().ok();
    Some((address("listen")?, address("ops_listen")?))
}
