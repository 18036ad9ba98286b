//! TLS, where a URL asks for it.

use redis::{ClientTlsConfig, ConnectionAddr, ConnectionInfo, TlsCertificates};
use rustls::crypto::{CryptoProvider, ring};

use crate::Servers;

pub(super) fn is_wanted(info: &ConnectionInfo) -> bool {
    matches!(info.addr(), ConnectionAddr::TcpTls { .. })
}

/// The roots to trust, the system's own where none was given; and what is shown to the server.
pub(super) fn certificates(servers: &Servers) -> TlsCertificates {
    // Rustls cannot choose where a service's other crates bring a second implementation along. The
    // service's own choice stays.
    if CryptoProvider::get_default().is_none() {
        let _ = ring::default_provider().install_default();
    }
    let shown = servers.client_certificate.as_ref();
    TlsCertificates {
        client_tls: shown.map(|shown| ClientTlsConfig {
            client_cert: shown.certificate.clone(),
            client_key: shown.key.clone(),
        }),
        root_cert: servers.root_certificate.clone(),
    }
}
