//! A private Redis that speaks TLS.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::port::TWIN;
use crate::redis_recipe::{Setup, Twin};
use crate::{Error, Options, RedisServer, find};

/// What a build without TLS says to the port for it: up to version 6.2, and since. Neither of them
/// says it of anything else, and no build tells it in another way.
const NO_TLS: [&str; 2] = [">>> 'tls-port", "Failed finding TLS support"];

/// A private Redis (or Valkey) that speaks TLS, with a certificate for `127.0.0.1` and `localhost`
/// from an authority of its own. It asks clients for no certificate.
///
/// Beside the port with TLS it has one without, for administration.
#[derive(Debug)]
pub struct TlsRedisServer {
    server: RedisServer,
    url: String,
    ca_pem: String,
    certificate: (String, String),
}

impl TlsRedisServer {
    /// Starts one.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no Redis is installed, [`Error::NoTls`] where it was built without
    /// TLS, others when it cannot be started.
    pub fn start(options: &Options) -> Result<TlsRedisServer, Error> {
        let program = find::installed_redis()?;
        let papers = Papers::issued()?;
        let setup = Setup {
            files: vec![
                ("ca.pem", papers.ca.clone()),
                ("server.pem", papers.certificate.clone()),
                ("server.key", papers.key.clone()),
            ],
            twin: Twin::Tls,
            // Relative to its folder, which it enters before it reads them.
            ..Setup::alone(options)
                .with(&["--tls-ca-cert-file", "ca.pem"])
                .with(&["--tls-cert-file", "server.pem"])
                .with(&["--tls-key-file", "server.key"])
                .with(&["--tls-auth-clients", "no"])
        };
        let started = RedisServer::start_as(program.clone(), setup);
        let server = started.map_err(|error| without_tls(error, program))?;
        let url = format!("rediss://127.0.0.1:{}/", server.port() + TWIN);
        Ok(TlsRedisServer {
            server,
            url,
            ca_pem: papers.ca,
            certificate: (papers.certificate, papers.key),
        })
    }

    /// Its URL with TLS (`rediss`), the same after a restart.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate of the authority that clients must trust, as PEM.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// A certificate that the server trusts, and its key, as PEM: its own. It asks for one after
    /// `CONFIG SET tls-auth-clients yes`.
    pub fn certificate_pem(&self) -> (&str, &str) {
        (&self.certificate.0, &self.certificate.1)
    }

    /// The same server without TLS, to ask it something.
    pub fn server(&self) -> &RedisServer {
        &self.server
    }

    /// The same server, to kill, to freeze or to restart it; it keeps its certificate.
    pub fn server_mut(&mut self) -> &mut RedisServer {
        &mut self.server
    }
}

fn without_tls(error: Error, program: PathBuf) -> Error {
    match error {
        Error::NotStarted { log, .. } if NO_TLS.iter().any(|line| log.contains(line)) => {
            Error::NoTls { program }
        }
        other => other,
    }
}

/// What a server shows to its clients, and what these trust; as PEM.
struct Papers {
    ca: String,
    certificate: String,
    key: String,
}

impl Papers {
    fn issued() -> Result<Papers, Error> {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Its name must differ from the server's: who issued itself needs no authority.
        let name = &mut authority.distinguished_name;
        name.push(DnType::CommonName, "testbed authority");
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let names = ["127.0.0.1", "localhost"].map(str::to_owned);
        let certificate = CertificateParams::new(names)?.signed_by(&key, &authority)?;
        Ok(Papers {
            ca: authority.pem(),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }
}
