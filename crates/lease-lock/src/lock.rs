//! The client.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fence::{Permit, Resource};
use redis::{Cmd, PushInfo, RedisResult, Value};
use tokio::runtime::Handle;
use tracing::{Instrument, Span, field, instrument};

use crate::acquire;
use crate::connection::{ConnectError, Connection};
use crate::error::{AcquireError, ReleaseError};
use crate::keeper::Keeper;
use crate::leave::Leaver;
use crate::release::{self, Released};
use crate::reply::Reply;
use crate::script::{ACQUIRE, LEAVE, RELEASE, Script};
use crate::trust::Trust;
use crate::wakes::Wakes;
use crate::{Attempt, Lease, Prefix, Servers};

/// A client of one Redis, Sentinel or Cluster under one prefix; it makes [`Lease`]s.
///
/// It has one multiplexed connection, which reconnects by itself; to each node of a Cluster one, and from
/// the first contention on a second one to listen. Cloning is cheap and shares it.
#[derive(Clone)]
pub struct LeaseLock(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    connection: Connection,
    prefix: Prefix,
    /// The connection has it as well: it is told there what Redis says unasked.
    wakes: Arc<Wakes>,
    keeper: Keeper,
    /// Where a dropped lease is given back: a lease may be dropped outside of any runtime.
    runtime: Handle,
}

impl LeaseLock {
    /// Connects, and loads the scripts, so that already the first acquisition is one command.
    ///
    /// `servers` is a URL, `redis://[user][:password]@host[:port][/database]` or `unix:///path`, or
    /// [`Servers`] for Sentinel, Cluster and TLS. A connection has `TCP_NODELAY` and speaks RESP3
    /// (Redis ≥ 6.2, or Valkey). Every call is answered or fails within 1 s, a reconnect included; what
    /// that error means is said at each call. It must be called within a tokio runtime that outlives
    /// the client.
    ///
    /// It fails while Redis is down. A service that has to come up then uses
    /// [`connect_lazily`](LeaseLock::connect_lazily).
    ///
    /// # Errors
    /// [`ConnectError`], which never holds the password.
    pub async fn connect(
        servers: impl Into<Servers>,
        prefix: Prefix,
    ) -> Result<LeaseLock, ConnectError> {
        let servers = servers.into();
        let (wakes, ear) = listening(&servers, &prefix);
        let connection = Connection::open(&servers, ear).await?;
        Ok(LeaseLock::over(connection, prefix, wakes))
    }

    /// Makes a client that connects at its first call, so that a service comes up, or comes up again, while
    /// Redis is down.
    ///
    /// Nothing is sent and nothing is awaited. Until Redis is there each call fails within 1 s, as it does
    /// when Redis goes away later; the first one that finds it there connects, and brings its script along.
    /// Nothing asks in between. What [`connect`](LeaseLock::connect) finds out at the start the calls find
    /// out here, each one anew: a wrong password, a server that is none, or scripts that are not allowed.
    /// [`preflight`](LeaseLock::preflight) asks for them.
    ///
    /// For one server, or a master behind Sentinel. Like `connect`, it must be called within a tokio runtime
    /// that outlives the client.
    ///
    /// # Errors
    /// [`ConnectError`], but only of what is seen without asking: URLs, certificates and keys; and
    /// [`ConnectError::ClusterLazily`].
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn connect_lazily(
        servers: impl Into<Servers>,
        prefix: Prefix,
    ) -> Result<LeaseLock, ConnectError> {
        let servers = servers.into();
        let (wakes, ear) = listening(&servers, &prefix);
        let connection = Connection::open_lazily(&servers, ear)?;
        Ok(LeaseLock::over(connection, prefix, wakes))
    }

    fn over(connection: Connection, prefix: Prefix, wakes: Arc<Wakes>) -> LeaseLock {
        let shared = Arc::new(Shared {
            connection,
            prefix,
            wakes,
            keeper: Keeper::default(),
            runtime: Handle::current(),
        });
        shared.wakes.belong_to(Arc::downgrade(&shared));
        LeaseLock(shared)
    }

    /// The prefix of all keys.
    pub fn prefix(&self) -> &Prefix {
        &self.0.prefix
    }

    /// Takes the lease if it is free; never waits for another holder. One command.
    ///
    /// Sending the same attempt again finds the lease that it already has: the same fence and the
    /// milliseconds that are left, never a fresh TTL. With a floor that is not below that fence, it
    /// gets a higher fence into the same lease.
    ///
    /// When this future is dropped before it is done, Redis may have granted the lease. Send the same
    /// attempt again, or [`abandon`](LeaseLock::abandon) it; otherwise it lasts for its TTL.
    ///
    /// # Errors
    /// [`AcquireError`]: held by another, something is wrong with the keys, or the fate is unknown.
    #[instrument(name = "lease_lock.acquire", skip_all, fields(
        fence.resource = %attempt.resource(),
        fence.holder = %attempt.holder(),
        fence.floor = attempt.floor().map(|floor| floor.get()),
        fence.number = field::Empty,
        lease.ttl_ms = attempt.ttl().as_millis(),
    ))]
    pub async fn try_acquire(&self, attempt: &Attempt) -> Result<Lease, AcquireError> {
        let sent = Instant::now();
        let request = self.request(attempt);
        let reply = self.ask(&request).await?;
        self.granted(attempt, sent, request.read(reply))
    }

    /// What is asked for an attempt that does not wait.
    pub(crate) fn request<'a>(&'a self, attempt: &'a Attempt) -> acquire::Request<'a> {
        acquire::Request {
            prefix: &self.0.prefix,
            resource: attempt.resource(),
            holder: attempt.holder(),
            ttl: Some(attempt.ttl()),
            floor: attempt.floor(),
            place: None,
        }
    }

    pub(crate) async fn ask(&self, request: &acquire::Request<'_>) -> Result<Reply, AcquireError> {
        let reply = self.call(&ACQUIRE, &request.command()).await;
        reply.map_err(AcquireError::Unknown)
    }

    /// Makes a lease of what was granted to a request that was sent at `sent`.
    pub(crate) fn granted(
        &self,
        attempt: &Attempt,
        sent: Instant,
        answer: Result<acquire::Grant, AcquireError>,
    ) -> Result<Lease, AcquireError> {
        let grant = answer?;
        Span::current().record("fence.number", grant.fence.get());
        let permit = Permit::new(attempt.resource().clone(), grant.fence, attempt.holder());
        let trust = Trust::starting(sent, grant.left);
        // Made also when it is too late: dropping it gives back what Redis still has of it.
        let lease = Lease::new(self.clone(), permit, attempt.ttl(), trust);
        match trust.is_over() {
            false => Ok(lease),
            true => Err(AcquireError::TooLate {
                resource: attempt.resource().clone(),
                fence: grant.fence,
            }),
        }
    }

    /// Gives an attempt up whose reply was lost: frees the lease that it may have taken.
    ///
    /// [`Released::Expired`] and [`Released::TakenOver`] both say that this attempt holds nothing.
    ///
    /// # Errors
    /// [`ReleaseError`]
    #[instrument(name = "lease_lock.abandon", skip_all, fields(
        fence.resource = %attempt.resource(),
        fence.holder = %attempt.holder(),
    ))]
    pub async fn abandon(&self, attempt: Attempt) -> Result<Released, ReleaseError> {
        let request = release::Request {
            prefix: &self.0.prefix,
            resource: attempt.resource(),
            holder: attempt.holder(),
            fence: None,
        };
        let reply = self.call(&RELEASE, &request.command()).await;
        request.read(reply.map_err(ReleaseError::Unknown)?)
    }

    pub(crate) async fn release(&self, permit: &Permit) -> Result<Released, ReleaseError> {
        let request = release::Request {
            prefix: &self.0.prefix,
            resource: permit.resource(),
            holder: permit.holder(),
            fence: Some(permit.fence()),
        };
        let reply = self.call(&RELEASE, &request.command()).await;
        request.read(reply.map_err(ReleaseError::Unknown)?)
    }

    /// Releases without anybody waiting for it.
    ///
    /// A runtime that has shut down takes the task and drops it; it does not panic.
    pub(crate) fn release_in_background(&self, permit: Permit) {
        let lock = self.clone();
        let span = tracing::debug_span!("lease_lock.drop", fence.permit = %permit);
        let release = async move {
            match lock.release(&permit).await {
                Ok(released) => tracing::debug!(?released, "gave a dropped lease back"),
                // Nobody else can see this error, so it is logged here.
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "could not give a dropped lease back"
                ),
            }
        };
        self.0.runtime.spawn(release.instrument(span));
    }

    /// Leaves a queue without anybody waiting for it.
    pub(crate) fn leave_in_background(&self, leaver: Leaver) {
        let lock = self.clone();
        let span = tracing::debug_span!("lease_lock.leave", fence.resource = %leaver.resource);
        let leave = async move {
            match lock.call(&LEAVE, &leaver.command(lock.prefix())).await {
                Ok(reply) => tracing::debug!(how = reply.word(), "left the queue"),
                // It costs those behind at most the time that a lease is reserved for.
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "could not leave the queue of a lease"
                ),
            }
        };
        self.0.runtime.spawn(leave.instrument(span));
    }

    pub(crate) async fn call(&self, script: &Script, cmd: &Cmd) -> RedisResult<Reply> {
        self.0.connection.call(script, cmd).await
    }

    /// Runs a command that is no script.
    pub(crate) async fn command(&self, cmd: &Cmd) -> RedisResult<Value> {
        self.0.connection.ask(cmd).await
    }

    /// How long a waiter goes on asking while nobody answers it.
    pub(crate) fn silence(&self) -> Duration {
        self.0.connection.silence()
    }

    pub(crate) fn wakes(&self) -> &Wakes {
        &self.0.wakes
    }

    /// Begins to listen for the wakes of a resource; `false` where the server does not let this user.
    pub(crate) async fn listen(&self, resource: &Resource) -> RedisResult<bool> {
        self.0.wakes.listen(&self.0.connection, resource).await
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.0.keeper
    }

    /// Where tasks of this client run.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.0.runtime
    }
}

/// Who hears what Redis says unasked, and the ear of the connection.
fn listening(
    servers: &Servers,
    prefix: &Prefix,
) -> (Arc<Wakes>, impl Fn(PushInfo) + Send + Sync + 'static) {
    let wakes = Arc::new(Wakes::new(prefix.clone(), servers.is_cluster()));
    let ear = wakes.clone();
    (wakes, move |push| ear.hear(push))
}

impl fmt::Debug for LeaseLock {
    /// Without the connection: its URL has a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseLock")
            .field("prefix", &self.0.prefix)
            .finish_non_exhaustive()
    }
}
