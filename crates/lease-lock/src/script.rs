//! The Lua scripts: everything that must be atomic in Redis.

use std::sync::LazyLock;

use redis::{Cmd, Script};

/// A script of `lua/`, with what `lua/queue.lua` gives to all that touch the queue.
macro_rules! with_queue {
    ($file:literal) => {
        concat!(include_str!("../lua/queue.lua"), include_str!($file))
    };
}

/// `lua/acquire.lua`
pub(crate) static ACQUIRE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/acquire.lua")));

/// `lua/renew.lua`
pub(crate) static RENEW: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("../lua/renew.lua")));

/// `lua/release.lua`
pub(crate) static RELEASE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/release.lua")));

/// `lua/leave.lua`
pub(crate) static LEAVE: LazyLock<Script> =
    LazyLock::new(|| Script::new(with_queue!("../lua/leave.lua")));

/// Every script, to be loaded at the start.
pub(crate) static ALL: [&LazyLock<Script>; 4] = [&ACQUIRE, &RENEW, &RELEASE, &LEAVE];

/// Starts an `EVALSHA` of a script with this many keys and arguments.
///
/// The command is built by hand, with the hash that was computed once: going through
/// [`Script::arg`] allocates twice as often, because it keeps each argument in a vector of its own.
pub(crate) fn evalsha(script: &Script, keys: usize, args: usize, bytes: usize) -> Cmd {
    let mut cmd = Cmd::with_capacity(3 + keys + args, 64 + bytes);
    cmd.arg("EVALSHA").arg(script.get_hash()).arg(keys);
    cmd
}
