//! The Lua scripts: everything that must be atomic in Redis.

use std::sync::LazyLock;

use redis::{Arg, Cmd};

use crate::connection::Repeat;

/// A script, and the hash by which a server knows it.
pub(crate) struct Script {
    source: &'static str,
    sha: String,
    repeat: Repeat,
}

/// A script of `lua/`, with what `lua/queue.lua` gives to all that touch the queue.
macro_rules! with_queue {
    ($file:literal) => {
        concat!(include_str!("../lua/queue.lua"), include_str!($file))
    };
}

/// `lua/acquire.lua`
pub(crate) static ACQUIRE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/acquire.lua"), Repeat::Harmless));

/// `lua/renew.lua`
pub(crate) static RENEW: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("../lua/renew.lua"), Repeat::Harmless));

/// `lua/release.lua`
pub(crate) static RELEASE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/release.lua"), Repeat::Never));

/// `lua/leave.lua`
pub(crate) static LEAVE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/leave.lua"), Repeat::Harmless));

/// Every script, to be loaded at the start.
pub(crate) static ALL: [&LazyLock<Script>; 4] = [&ACQUIRE, &RENEW, &RELEASE, &LEAVE];

impl Script {
    fn new(source: &'static str, repeat: Repeat) -> Script {
        let sha = redis::Script::new(source).get_hash().to_owned();
        Script {
            source,
            sha,
            repeat,
        }
    }

    pub(crate) fn repeat(&self) -> Repeat {
        self.repeat
    }

    pub(crate) fn sha(&self) -> &str {
        &self.sha
    }

    /// Starts an `EVALSHA` with this many keys and arguments.
    ///
    /// The command is built by hand, with the hash that was computed once: going through
    /// [`redis::Script::arg`] allocates twice as often, because it keeps each argument in a vector of
    /// its own.
    pub(crate) fn evalsha(&self, keys: usize, args: usize, bytes: usize) -> Cmd {
        let mut cmd = Cmd::with_capacity(3 + keys + args, 64 + bytes);
        cmd.arg("EVALSHA").arg(&self.sha).arg(keys);
        cmd
    }

    /// The same call with the source in place of the hash, for a server that does not know it.
    pub(crate) fn eval(&self, evalsha: &Cmd) -> Cmd {
        let mut cmd = redis::cmd("EVAL");
        cmd.arg(self.source);
        for arg in evalsha.args_iter().skip(2) {
            if let Arg::Simple(bytes) = arg {
                cmd.arg(bytes);
            }
        }
        cmd
    }

    /// Makes a server know it.
    pub(crate) fn load(&self) -> Cmd {
        let mut cmd = redis::cmd("SCRIPT");
        cmd.arg("LOAD").arg(self.source);
        cmd
    }
}
