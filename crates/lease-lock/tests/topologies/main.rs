//! The lease behind Sentinel, in a Cluster, and over TLS, on real processes.

mod acl;
mod cluster;
mod cluster_failover;
mod cluster_waiting;
mod lazily;
mod sentinel;
mod support;
#[cfg(feature = "tls")]
mod tls;
