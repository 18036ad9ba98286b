//! Ports for servers that are about to start.

use std::net::{TcpListener, UdpSocket};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Error;

/// How far the twin of a port is away from it: where a node of a Redis Cluster has its bus.
pub(crate) const TWIN: u16 = 10_000;

/// Ports below those that Linux (from 32768) and macOS (from 49152) give to outgoing connections.
///
/// A client that keeps trying to reach a restarting server on a port of *that* range connects to
/// itself sooner or later (its own port is drawn from the same range), and then holds the port.
static ANY: Range = Range::new(15_000, 17_000);
/// The part of them whose twins are below those, too.
static WITH_TWIN: Range = Range::new(15_000, 7_000);

/// A port of the loopback address that no other server of this crate gets while this exists, in
/// whatever process.
///
/// The port of a server that was killed is free, but its clients, its replicas and its Sentinels
/// still call there. They would take whoever came instead for the server: a replica would throw its
/// data away for those of a stranger.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    /// Nobody speaks UDP here. The numbers of the two protocols are apart, one socket at a time can
    /// have each, and the system closes it when this process ends.
    _claims: Vec<UdpSocket>,
}

impl Port {
    /// One that was free a moment ago.
    ///
    /// Who does not use this crate may take it before the server does: a start that fails is tried
    /// on another one.
    pub(crate) fn free() -> Result<Port, Error> {
        let mut numbers = ANY.numbers();
        let port = numbers.find_map(|number| Port::claimed(number, &[number]));
        port.ok_or(Error::NoPort)
    }

    /// One whose twin is free, too, and claimed with it.
    pub(crate) fn free_with_twin() -> Result<Port, Error> {
        let mut numbers = WITH_TWIN.numbers();
        let port = numbers.find_map(|number| Port::claimed(number, &[number, number + TWIN]));
        port.ok_or(Error::NoPort)
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    /// `None` when one of `all` is not free.
    fn claimed(number: u16, all: &[u16]) -> Option<Port> {
        let claim = |port: &u16| {
            let socket = UdpSocket::bind(("127.0.0.1", *port)).ok()?;
            TcpListener::bind(("127.0.0.1", *port)).ok()?;
            Some(socket)
        };
        Some(Port {
            number,
            _claims: all.iter().map(claim).collect::<Option<_>>()?,
        })
    }
}

/// Ports of which each is looked at in turn.
struct Range {
    first: u16,
    count: u16,
    next: AtomicU32,
}

impl Range {
    const fn new(first: u16, count: u16) -> Range {
        Range {
            first,
            count,
            next: AtomicU32::new(0),
        }
    }

    /// All of them. Two processes start at different places, two calls of one process never at the
    /// same.
    fn numbers(&self) -> impl Iterator<Item = u16> {
        let start = process::id().wrapping_mul(7919);
        let places = (0..self.count).map(move |_| {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            start.wrapping_add(turn) % u32::from(self.count)
        });
        places.filter_map(|place| Some(self.first + u16::try_from(place).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_claimed_until_it_is_dropped_although_nobody_listens_there() {
        let port = Port::free().unwrap();
        let number = port.number();
        TcpListener::bind(("127.0.0.1", number)).unwrap();
        assert!(Port::claimed(number, &[number]).is_none());
        drop(port);
        assert!(Port::claimed(number, &[number]).is_some());
    }

    #[test]
    fn the_twin_of_a_port_is_claimed_with_it() {
        let port = Port::free_with_twin().unwrap();
        let twin = port.number() + TWIN;
        assert!(twin < 32_768);
        assert!(Port::claimed(twin, &[twin]).is_none());
    }

    #[test]
    fn a_port_where_a_stranger_listens_is_not_claimed() {
        let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
        let number = stranger.local_addr().unwrap().port();
        assert!(Port::claimed(number, &[number]).is_none());
    }
}
