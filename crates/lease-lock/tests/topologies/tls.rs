//! A server that speaks TLS.

use lease_lock::{ConnectError, LeaseLock, Released, Servers};
use testbed::{Error, Options, TlsRedisServer};

use crate::support::{attempt, blocking, client, failure, is_woken, prefix, resource};

/// `None`, said loudly, where the server under test was built without TLS.
pub(crate) fn start() -> Option<TlsRedisServer> {
    match tokio::task::block_in_place(|| TlsRedisServer::start(&Options::throw_away())) {
        Ok(server) => Some(server),
        Err(error @ Error::NoTls { .. }) => {
            println!("NOT TESTED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_are_taken_waited_for_and_released_over_tls() {
    let Some(server) = start() else { return };
    let servers = Servers::one(server.url()).with_root_certificate(server.ca_pem());
    let (lock, waiter) = (client(servers.clone()).await, client(servers).await);
    is_woken(server.server(), &lock, &waiter, &resource("r")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_the_system_does_not_trust_is_refused() {
    let Some(server) = start() else { return };
    let refused = LeaseLock::connect(server.url(), prefix()).await;
    assert!(
        matches!(refused, Err(ConnectError::Unreachable { .. })),
        "{refused:?}"
    );
    // Without TLS it does not even understand the question.
    let plain = server.url().replace("rediss:", "redis:");
    let refused = LeaseLock::connect(plain, prefix()).await;
    assert!(
        matches!(refused, Err(ConnectError::Unreachable { .. })),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_a_certificate_gets_it() {
    let Some(server) = start() else { return };
    let ask = ["CONFIG", "SET", "tls-auth-clients", "yes"];
    blocking(|| server.server().command(&ask));
    let stranger = Servers::one(server.url()).with_root_certificate(server.ca_pem());
    let refused = LeaseLock::connect(stranger.clone(), prefix()).await;
    assert!(
        matches!(refused, Err(ConnectError::Unreachable { .. })),
        "{refused:?}"
    );
    let (certificate, key) = server.certificate_pem();
    let lock = client(stranger.with_client_certificate(certificate, key)).await;
    let lease = lock.try_acquire(&attempt(&resource("r"))).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_made_without_redis_speaks_tls_as_soon_as_it_is_there() {
    let Some(mut server) = start() else {
        return;
    };
    let servers = Servers::one(server.url()).with_root_certificate(server.ca_pem());
    blocking(|| server.server_mut().kill_nine());
    let lock = LeaseLock::connect_lazily(servers, prefix()).unwrap();
    assert!(failure(&lock, "r").await.is_io_error());
    blocking(|| server.server_mut().restart());
    let lease = lock.try_acquire(&attempt(&resource("r"))).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    // Whom the system does not trust is found out by the call.
    let stranger = LeaseLock::connect_lazily(server.url(), prefix()).unwrap();
    let _ = failure(&stranger, "r").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_and_keys_that_cannot_be_used_are_an_error_at_once() {
    let (Some(server), Some(other)) = (start(), start()) else {
        return;
    };
    let (certificate, key) = server.certificate_pem();
    let (_, foreign_key) = other.certificate_pem();
    let with = |root: &str, certificate: &str, key: &str| {
        Servers::one(server.url())
            .with_root_certificate(root)
            .with_client_certificate(certificate, key)
    };
    let root = server.ca_pem();
    for (servers, what) in [
        (with("", certificate, key), "no authority"),
        (with(key, certificate, key), "a key for an authority"),
        (with(root, "", key), "no certificate"),
        (with(root, certificate, ""), "no key"),
        (with(root, certificate, certificate), "no key either"),
        (with(root, certificate, foreign_key), "the key of another"),
    ] {
        let lazy = LeaseLock::connect_lazily(servers.clone(), prefix());
        let eager = LeaseLock::connect(servers, prefix()).await;
        for refused in [lazy, eager] {
            let Err(ConnectError::Certificates(_)) = refused else {
                panic!("{what}: {refused:?}");
            };
        }
    }
    let good = LeaseLock::connect(with(root, certificate, key), prefix()).await;
    assert!(good.is_ok(), "{good:?}");
}
