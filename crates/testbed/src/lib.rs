#![doc = include_str!("../README.md")]

mod account;
mod binaries;
mod child;
#[cfg(feature = "client")]
mod client;
mod compose;
mod error;
mod family;
mod find;
mod folder;
mod group;
mod home;
mod janitor;
mod options;
mod pair;
mod pgbouncer;
mod port;
mod postgres;
#[cfg(feature = "client")]
mod proxy;
mod redis_cluster;
mod redis_recipe;
mod redis_sentinel;
mod redis_server;
mod replication;
mod resp;
mod server;
mod spawner;
mod template;
#[cfg(feature = "tls")]
mod tls;
mod unique;
mod until;
mod watcher;

#[cfg(feature = "client")]
pub use client::{TestDatabase, Versions, database, prefix, redacted};
pub use error::{Error, ServerName};
pub use find::{Found, NotFound, find};
pub use folder::target_folder;
pub use group::run_in_group;
pub use home::has_kept;
pub use options::Options;
pub use pair::{Origin, Pair, shared};
pub use pgbouncer::PgBouncer;
pub use postgres::PostgresServer;
#[cfg(feature = "client")]
pub use proxy::Proxy;
pub use redis_cluster::{RedisCluster, SlotMove};
pub use redis_sentinel::RedisSentinel;
pub use redis_server::RedisServer;
pub use spawner::spawn_tied;
#[cfg(feature = "tls")]
pub use tls::TlsRedisServer;
