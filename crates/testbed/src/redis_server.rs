//! A private Redis.

use std::path::PathBuf;

use crate::redis_recipe::{RedisRecipe, Setup};
use crate::resp::{self, Reply};
use crate::server::Server;
use crate::{Error, Options, find};

/// A private Redis (or Valkey) on a loopback port, empty at each start, without persistence.
///
/// It is started from installed binaries, never looked for behind a URL: it may be killed. Dropping
/// the handle stops it and removes its folder; so does the end of this process.
#[derive(Debug)]
pub struct RedisServer {
    server: Server<RedisRecipe>,
    url: String,
    is_frozen: bool,
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
        RedisServer::start_as(program, Setup::alone(options))
    }

    pub(crate) fn start_as(program: PathBuf, setup: Setup) -> Result<RedisServer, Error> {
        let server = RedisRecipe::start(program, setup)?;
        let url = format!("redis://127.0.0.1:{}/", server.port());
        Ok(RedisServer {
            server,
            url,
            is_frozen: false,
        })
    }

    /// Its URL, the same after [`restart`](Self::restart).
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its port on the loopback address, the same after [`restart`](Self::restart).
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.server.pid().map(|pid| pid.as_raw().cast_unsigned())
    }

    /// Sends one command for administration, such as `["ACL", "SETUSER", "app", "on"]`, and waits
    /// for its answer: as `redis-cli` writes it into a pipe, the items of a list one a line.
    ///
    /// # Errors
    /// [`Error::Refused`] when the server answers with an error, [`Error::Io`] when it does not
    /// answer within 2 s.
    pub fn command(&self, words: &[&str]) -> Result<String, Error> {
        self.ask(words).map(|reply| reply.to_string())
    }

    /// Stops it in good order.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when not even killing ends it.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.is_frozen = false;
        self.server.stop()
    }

    /// Kills it with SIGKILL and waits for its end.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when the system does not end it in time.
    pub fn kill_nine(&mut self) -> Result<(), Error> {
        self.is_frozen = false;
        self.server.kill_nine()
    }

    /// Starts it again on the same port, **empty**; stops it first if it runs.
    ///
    /// # Errors
    /// [`Error::NotStarted`] when it does not come back.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.is_frozen = false;
        self.server.restart()
    }

    /// Stops it where it stands (SIGSTOP): connections stay, also new ones are made, nothing is
    /// answered. Nothing happens where it does not run.
    pub fn freeze(&mut self) {
        self.is_frozen = true;
        self.server.freeze();
    }

    /// Lets it go on where it was frozen (SIGCONT), with all that it knew then.
    pub fn thaw(&mut self) {
        self.is_frozen = false;
        self.server.thaw();
    }

    /// Whether it runs and is not frozen.
    pub(crate) fn is_awake(&self) -> bool {
        self.server.pid().is_some() && !self.is_frozen
    }

    pub(crate) fn ask(&self, words: &[&str]) -> Result<Reply, Error> {
        resp::ask(self.port(), words)
    }

    /// One line of what `INFO` says, such as `role` in the section `replication`.
    pub(crate) fn info(&self, section: &str, field: &str) -> Result<Option<String>, Error> {
        let text = self.command(&["INFO", section])?;
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        Ok(value.map(str::to_owned))
    }
}
