//! A private Redis.

use std::fs::DirBuilder;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::account::Account;
use crate::error::{Doing, ServerName};
use crate::home::Home;
use crate::janitor::Janitor;
use crate::server::{Recipe, Server};
use crate::{Error, Options, find};

/// A starting Redis answers at once or not at all.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// More than the longest answer to `INFO server`.
const ANSWER_BYTES: u64 = 16 * 1024;

/// A private Redis (or Valkey) on a loopback port, empty at each start, without persistence.
///
/// It is started from installed binaries, never looked for behind a URL: it may be killed. Dropping
/// the handle stops it and removes its folder; so does the end of this process.
#[derive(Debug)]
pub struct RedisServer {
    server: Server<RedisRecipe>,
    url: String,
}

impl RedisServer {
    /// Starts one.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no Redis is installed; others when it cannot be started.
    pub fn start(options: &Options) -> Result<RedisServer, Error> {
        RedisServer::start_from(find::installed_redis()?, options)
    }

    pub(crate) fn start_from(program: PathBuf, options: &Options) -> Result<RedisServer, Error> {
        let account = Account::of_servers()?;
        let home = Home::throw_away()?;
        let janitor = Janitor::start(home.path(), home.fate(), RedisRecipe::CLEAN_STOP)
            .doing(|| "run /bin/sh".to_owned())?;
        let folder = home.path().join("redis");
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .and_then(|()| account.own(&folder))
            .doing(|| format!("make the folder {}", folder.display()))?;
        let recipe = RedisRecipe {
            program,
            folder,
            account,
            config: options.redis.clone(),
        };
        let server = Server::start(recipe, home, janitor)?;
        let url = format!("redis://127.0.0.1:{}/", server.port());
        Ok(RedisServer { server, url })
    }

    /// Its URL, the same after [`restart`](Self::restart).
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.server.pid().map(|pid| pid.as_raw().cast_unsigned())
    }

    /// Stops it in good order.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when not even killing ends it.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.server.stop()
    }

    /// Kills it with SIGKILL and waits for its end.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when the system does not end it in time.
    pub fn kill_nine(&mut self) -> Result<(), Error> {
        self.server.kill_nine()
    }

    /// Starts it again on the same port, **empty**; stops it first if it runs.
    ///
    /// # Errors
    /// [`Error::NotStarted`] when it does not come back.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.server.restart()
    }
}

#[derive(Debug)]
struct RedisRecipe {
    program: PathBuf,
    folder: PathBuf,
    account: Account,
    config: Vec<(String, String)>,
}

impl Recipe for RedisRecipe {
    const NAME: ServerName = ServerName::Redis;
    const CLEAN_STOP: Signal = Signal::SIGTERM;

    fn farewell(&self) -> Signal {
        Self::CLEAN_STOP
    }

    fn command(&self, port: u16) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.args(["--save", "", "--appendonly", "no"]);
        command.arg("--dir").arg(&self.folder);
        for (name, value) in &self.config {
            command.arg(format!("--{name}")).arg(value);
        }
        self.account.applied_to(&mut command);
        command.current_dir("/");
        command
    }

    /// The port stands in the arguments, and in the title that Redis gives itself later.
    fn mark(&self, port: u16) -> String {
        port.to_string()
    }

    fn is_ready(&self, port: u16, pid: Pid) -> bool {
        // Another server may have won the port while ours is still on its way to find out.
        let ours = format!("process_id:{pid}\r\n");
        ask(port).is_ok_and(|answer| answer.starts_with("+PONG") && answer.contains(&ours))
    }
}

/// What the server answers to PING and to the question who it is. Redis speaks plain lines, too.
fn ask(port: u16) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.write_all(b"PING\r\nINFO server\r\nQUIT\r\n")?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    Ok(answer)
}
