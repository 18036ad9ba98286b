//! A Redis that speaks TLS, to those who trust its authority.

use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Client, RedisResult, TlsCertificates};
use testbed::{Error, Options, TlsRedisServer};

/// `None`, said loudly, where the installed server was built without TLS.
fn started() -> Option<TlsRedisServer> {
    match TlsRedisServer::start(&Options::throw_away()) {
        Ok(server) => Some(server),
        Err(error @ Error::NoTls { .. }) => {
            eprintln!("NOT TESTED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

async fn connection(url: &str, ca_pem: &str) -> RedisResult<MultiplexedConnection> {
    // Which cryptography rustls uses is chosen once for each process; the second choice is the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let trust = TlsCertificates {
        client_tls: None,
        root_cert: Some(ca_pem.as_bytes().to_owned()),
    };
    let client = Client::build_with_tls(url, trust)?;
    client.get_multiplexed_async_connection().await
}

#[tokio::test]
async fn whoever_trusts_its_authority_is_served_by_number_and_by_name() {
    let Some(server) = started() else { return };
    assert!(server.url().starts_with("rediss://127.0.0.1:"));
    let by_name = server.url().replace("127.0.0.1", "localhost");
    for url in [server.url(), &by_name] {
        let mut connection = connection(url, server.ca_pem()).await.unwrap();
        let () = connection.set("key", url).await.unwrap();
        assert_eq!(server.server().command(&["GET", "key"]).unwrap(), url);
    }
}

#[tokio::test]
async fn whoever_trusts_another_authority_or_speaks_without_tls_is_not_served() {
    let (Some(server), Some(other)) = (started(), started()) else {
        return;
    };
    assert!(connection(server.url(), other.ca_pem()).await.is_err());
    let plain = server.url().replace("rediss:", "redis:");
    let client = Client::open(plain).unwrap();
    assert!(client.get_multiplexed_async_connection().await.is_err());
}

#[tokio::test]
async fn it_comes_back_with_its_certificate() {
    let Some(mut server) = started() else { return };
    server.server_mut().kill_nine().unwrap();
    assert!(connection(server.url(), server.ca_pem()).await.is_err());
    server.server_mut().restart().unwrap();
    connection(server.url(), server.ca_pem()).await.unwrap();
}
