//! Where Redis is.

use std::fmt;

use redis::{ConnectionInfo, IntoConnectionInfo, RedisResult};

/// Where Redis (or Valkey) is, and how it is spoken to: one server, a master that Sentinel chooses,
/// or a Cluster.
///
/// A URL is `redis://[user][:password]@host[:port][/database]`, `rediss://…` for TLS (feature `tls`),
/// or `unix:///path`. Everything that takes `impl Into<Servers>` takes such a URL for one server.
///
/// ```
/// use lease_lock::Servers;
///
/// let one = Servers::one("redis://127.0.0.1:6379/");
/// let chosen = Servers::sentinel(["redis://10.0.0.1:26379", "redis://10.0.0.2:26379"], "leases")
///     .with_login("app", "secret");
/// let cluster = Servers::cluster(["redis://app:secret@10.0.1.1:6379", "redis://app:secret@10.0.1.2:6379"]);
/// # let _ = (one, chosen, cluster);
/// ```
#[derive(Clone)]
pub struct Servers {
    pub(crate) place: Place,
    pub(crate) login: Option<Login>,
    #[cfg(feature = "tls")]
    pub(crate) root_certificate: Option<Vec<u8>>,
    #[cfg(feature = "tls")]
    pub(crate) client_certificate: Option<ClientCertificate>,
}

/// What a client shows to a server that asks for it, as PEM.
#[cfg(feature = "tls")]
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// Which kind of servers, and their URLs.
#[derive(Clone)]
pub(crate) enum Place {
    One(String),
    Sentinel { urls: Vec<String>, master: String },
    Cluster(Vec<String>),
}

#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl Servers {
    /// One server.
    pub fn one(url: impl Into<String>) -> Servers {
        Servers::at(Place::One(url.into()))
    }

    /// The master that Sentinel knows as `master`. The URLs are those of sentinels, and one that answers
    /// is enough. Who is master is asked again after each connection that was lost or did not answer.
    ///
    /// A user and password in these URLs are for the sentinels; those for the master are
    /// [`with_login`](Servers::with_login). The master is spoken to with TLS where the first URL is
    /// `rediss://`. Leases live in database 0.
    pub fn sentinel<U: Into<String>>(
        urls: impl IntoIterator<Item = U>,
        master: impl Into<String>,
    ) -> Servers {
        Servers::at(Place::Sentinel {
            urls: urls.into_iter().map(Into::into).collect(),
            master: master.into(),
        })
    }

    /// A Cluster. One URL of a node that answers is enough; all have the same user and password.
    pub fn cluster<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Servers {
        Servers::at(Place::Cluster(urls.into_iter().map(Into::into).collect()))
    }

    /// With this user and password, in place of those in the URLs; behind Sentinel for the master.
    pub fn with_login(self, user: impl Into<String>, password: impl Into<String>) -> Servers {
        let login = Login {
            user: user.into(),
            password: password.into(),
        };
        Servers {
            login: Some(login),
            ..self
        }
    }

    /// Trusts this certificate authority (PEM) in place of those that the system trusts.
    #[cfg(feature = "tls")]
    pub fn with_root_certificate(self, pem: impl Into<Vec<u8>>) -> Servers {
        Servers {
            root_certificate: Some(pem.into()),
            ..self
        }
    }

    /// Shows this certificate and its key (PEM) to servers that ask for one: mutual TLS.
    #[cfg(feature = "tls")]
    pub fn with_client_certificate(
        self,
        certificate: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Servers {
        Servers {
            client_certificate: Some(ClientCertificate {
                certificate: certificate.into(),
                key: key.into(),
            }),
            ..self
        }
    }

    fn at(place: Place) -> Servers {
        Servers {
            place,
            login: None,
            #[cfg(feature = "tls")]
            root_certificate: None,
            #[cfg(feature = "tls")]
            client_certificate: None,
        }
    }

    pub(crate) fn is_cluster(&self) -> bool {
        matches!(self.place, Place::Cluster(_))
    }

    /// What messages call them: addresses, never a password.
    pub(crate) fn address(&self) -> String {
        match &self.place {
            Place::One(url) => host(url),
            Place::Sentinel { urls, master } => {
                format!("{master} of the sentinels {}", hosts(urls))
            }
            Place::Cluster(urls) => format!("the cluster of {}", hosts(urls)),
        }
    }
}

impl From<&str> for Servers {
    fn from(url: &str) -> Servers {
        Servers::one(url)
    }
}

impl From<&String> for Servers {
    fn from(url: &String) -> Servers {
        Servers::one(url)
    }
}

impl From<String> for Servers {
    fn from(url: String) -> Servers {
        Servers::one(url)
    }
}

impl fmt::Debug for Servers {
    /// Addresses only: the URLs and the login have passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Servers").field(&self.address()).finish()
    }
}

fn hosts(urls: &[String]) -> String {
    let hosts: Vec<_> = urls.iter().map(|url| host(url)).collect();
    hosts.join(", ")
}

fn host(url: &str) -> String {
    let info: RedisResult<ConnectionInfo> = url.into_connection_info();
    match info {
        Ok(info) => info.addr().to_string(),
        Err(_) => "a URL that cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_shown_without_a_password() {
        let urls = ["redis://me:s3cret@a:1", "redis://me:s3cret@b:2"];
        let shown = [
            Servers::one(urls[0]),
            Servers::sentinel(urls, "leases").with_login("me", "s3cret"),
            Servers::cluster(urls),
            Servers::one("redis://me:s3cret@:99999999/"),
        ]
        .map(|servers| format!("{servers:?}"));
        assert!(
            shown.iter().all(|text| !text.contains("s3cret")),
            "{shown:?}"
        );
        assert!(
            shown[1].contains("leases") && shown[2].contains("b:2"),
            "{shown:?}"
        );
    }
}
