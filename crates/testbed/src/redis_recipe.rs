//! How a private Redis is run: alone, as one of several, or as a Sentinel.

use std::fs::{self, DirBuilder};
use std::io;
use std::iter;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::account::Account;
use crate::error::{Doing, ServerName};
use crate::home::Home;
use crate::janitor::Janitor;
use crate::port::Port;
use crate::resp::{Connection, Reply};
use crate::server::{Recipe, Server};
use crate::{Error, Options};

/// What sets one Redis apart from another.
#[derive(Debug)]
pub(crate) struct Setup {
    /// More arguments of its command line.
    pub(crate) arguments: Vec<String>,
    /// Files that it finds in its folder, by name.
    pub(crate) files: Vec<(&'static str, String)>,
    /// The one of them that it reads first, and may rewrite.
    pub(crate) configuration: Option<&'static str>,
    pub(crate) twin: Twin,
    /// Ends it, also when this process ends.
    pub(crate) farewell: Signal,
}

/// What a Redis listens for on the twin of its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    Nothing,
    /// The other nodes of its cluster. All versions do so without being told.
    Bus,
    /// Clients with TLS.
    #[cfg(feature = "tls")]
    Tls,
}

impl Setup {
    /// A Redis that holds data, without persistence, and ends in good order.
    pub(crate) fn alone(options: &Options) -> Setup {
        let persistence = ["--save", "", "--appendonly", "no"].map(str::to_owned);
        // A value of several words is several arguments: Redis 6.2 does not take it as one.
        let asked = options.redis.iter().flat_map(|(name, value)| {
            let words = value.split(' ').map(str::to_owned);
            iter::once(format!("--{name}")).chain(words)
        });
        Setup {
            arguments: persistence.into_iter().chain(asked).collect(),
            files: Vec::new(),
            configuration: None,
            twin: Twin::Nothing,
            farewell: RedisRecipe::CLEAN_STOP,
        }
    }

    /// One of several that hold the same data. It does not wait at its end, as it otherwise would
    /// for replicas that lag.
    pub(crate) fn one_of_several(options: &Options) -> Setup {
        Setup {
            farewell: Signal::SIGKILL,
            ..Setup::alone(options)
        }
    }

    /// Adds words to the command line.
    pub(crate) fn with(mut self, arguments: &[&str]) -> Setup {
        let arguments = arguments.iter().map(|&argument| argument.to_owned());
        self.arguments.extend(arguments);
        self
    }
}

/// How it is run.
#[derive(Debug)]
pub(crate) struct RedisRecipe {
    program: PathBuf,
    folder: PathBuf,
    account: Account,
    setup: Setup,
}

impl RedisRecipe {
    /// Starts one in a folder of its own, with a janitor of its own.
    pub(crate) fn start(program: PathBuf, setup: Setup) -> Result<Server<RedisRecipe>, Error> {
        let account = Account::of_servers()?;
        let home = Home::throw_away()?;
        let janitor = Janitor::start(home.path(), home.fate(), setup.farewell)
            .doing(|| "run /bin/sh".to_owned())?;
        let folder = home.path().join("redis");
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .and_then(|()| account.own(&folder))
            .doing(|| format!("make the folder {}", folder.display()))?;
        for (name, text) in &setup.files {
            let path = folder.join(name);
            fs::write(&path, text)
                .and_then(|()| account.own(&path))
                .doing(|| format!("write {}", path.display()))?;
        }
        let recipe = RedisRecipe {
            program,
            folder,
            account,
            setup,
        };
        Server::start(recipe, home, janitor)
    }
}

impl Recipe for RedisRecipe {
    const NAME: ServerName = ServerName::Redis;
    const CLEAN_STOP: Signal = Signal::SIGTERM;

    fn farewell(&self) -> Signal {
        self.setup.farewell
    }

    fn free_port(&self) -> Result<Port, Error> {
        match self.setup.twin {
            Twin::Nothing => Port::free(),
            _ => Port::free_with_twin(),
        }
    }

    fn command(&self, port: u16) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(file) = self.setup.configuration {
            command.arg(self.folder.join(file));
        }
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.arg("--dir").arg(&self.folder);
        #[cfg(feature = "tls")]
        if self.setup.twin == Twin::Tls {
            command.args(["--tls-port", &(port + crate::port::TWIN).to_string()]);
        }
        command.args(&self.setup.arguments);
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
        ask_who(port).is_ok_and(|answer| answer.contains(&ours))
    }
}

/// What the server says of itself, once it answers to PING.
fn ask_who(port: u16) -> io::Result<String> {
    let mut connection = Connection::open(port)?;
    match connection.call(&["PING"])? {
        Reply::Text(_) => Ok(connection.call(&["INFO", "server"])?.to_string()),
        refused => Err(io::Error::other(refused.to_string())),
    }
}
