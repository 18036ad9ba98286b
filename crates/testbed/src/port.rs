//! Ports for servers that are about to start.

use std::net::TcpListener;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Error;

/// Ports below those that Linux (from 32768) and macOS (from 49152) give to outgoing connections.
///
/// A client that keeps trying to reach a restarting server on a port of *that* range connects to
/// itself sooner or later (its own port is drawn from the same range), and then holds the port.
const FIRST: u32 = 15_000;
const COUNT: u32 = 17_000;

/// A port on the loopback address that was free a moment ago.
///
/// Another process may take it before the server does: a start that fails is tried on another one.
pub(crate) fn free_port() -> Result<u16, Error> {
    // Two processes start at different places, two calls of one process never at the same.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = process::id().wrapping_mul(7919);
    (0..COUNT)
        .map(|_| NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(start) % COUNT + FIRST)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok())
        .ok_or(Error::NoPort)
}
