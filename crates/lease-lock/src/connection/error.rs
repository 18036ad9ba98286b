//! Why a client could not be made.

use redis::RedisError;

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A URL is not one of Redis, or asks for what this build does not have; there is none; or those of a
    /// Cluster do not fit together.
    #[error(
        "not a Redis URL, or not one of a set; write redis://user:password@host:6379/0 or unix:///path, or \
         rediss://… with the feature `tls`; nodes of a Cluster have the same user and password"
    )]
    Url(#[source] RedisError),
    /// What is to be trusted or shown over TLS is no certificate or no key, or the two do not belong together.
    #[cfg(feature = "tls")]
    #[error(
        "a certificate or key cannot be used; give PEM: the certificates of the authority, and the client's \
         own certificate with the key that belongs to it"
    )]
    Certificates(#[source] std::io::Error),
    /// A client of a Cluster has to ask who has which slot before it can send anything.
    #[error(
        "a Cluster cannot be connected to lazily; use connect, and call it again until it answers"
    )]
    ClusterLazily,
    /// Nobody answered there, or the server turned the client away.
    #[error("no connection to Redis at {address}; check that it runs there and lets you in")]
    Unreachable {
        /// Hosts and ports, or the path of the socket; never the password.
        address: String,
        /// What went wrong.
        #[source]
        source: RedisError,
    },
    /// The server is there, but does not take the scripts.
    #[error("Redis at {address} does not take scripts; allow SCRIPT LOAD and EVALSHA to this user")]
    Scripts {
        /// Hosts and ports, or the path of the socket; never the password.
        address: String,
        /// What went wrong.
        #[source]
        source: RedisError,
    },
}
