//! TLS, where a URL asks for it.

use std::error::Error;
use std::io;

use redis::{ClientTlsConfig, ConnectionAddr, ConnectionInfo, TlsCertificates};
use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::Servers;
use crate::servers::ClientCertificate;

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

/// Whether what was given can be used at all. The library takes text without any certificate for an
/// authority that vouches for nobody, and looks at a key when it connects.
pub(super) fn check(servers: &Servers) -> io::Result<()> {
    if let Some(pem) = &servers.root_certificate {
        let mut trusted = RootCertStore::empty();
        for certificate in certificates_in(pem)? {
            trusted.add(certificate).map_err(unusable)?;
        }
    }
    if let Some(ClientCertificate { certificate, key }) = &servers.client_certificate {
        let chain = certificates_in(certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(unusable)?;
        CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(unusable)?;
    }
    Ok(())
}

/// At least one.
fn certificates_in(pem: &[u8]) -> io::Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found.map_err(unusable)? {
        none if none.is_empty() => Err(unusable("no certificate in the PEM")),
        found => Ok(found),
    }
}

fn unusable(why: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
