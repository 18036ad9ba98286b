//! A Redis and a Postgres, wherever they come from.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::find::{Found, Source, find, installed};
use crate::{Error, Options, PostgresServer, RedisServer, ServerName, compose};

/// A Redis and a Postgres to run with.
///
/// Private servers are stopped, and throw-away data is removed, when the pair is dropped or this
/// process ends, in whatever way. Servers that URLs name, and containers, go on running.
#[derive(Debug)]
pub struct Pair {
    redis: Half<RedisServer>,
    postgres: Half<PostgresServer>,
    notices: Vec<String>,
}

/// One server of the pair.
#[derive(Debug)]
enum Half<S> {
    Url(String),
    Private(S),
    Compose,
}

/// Where a pair came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// At least one of the servers is one that `REDIS_URL` or `DATABASE_URL` names.
    Urls,
    /// Both were started for this process from installed programs.
    Private {
        /// Postgres' data folder.
        data: PathBuf,
    },
    /// The repository's containers.
    Compose,
}

impl Pair {
    /// Finds servers as [`find`] does, and starts what is to be started. It blocks for about a
    /// second, the first time two.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is nothing to start, others when it does not start.
    pub fn start(options: &Options) -> Result<Pair, Error> {
        Pair::start_found(find()?, options)
    }

    /// Starts private servers from installed programs, whatever the URLs say: for whoever kills or
    /// empties them.
    ///
    /// # Errors
    /// [`Error::NotFound`] where a server is not installed, others when it does not start.
    pub fn start_private(options: &Options) -> Result<Pair, Error> {
        Pair::start_found(installed()?, options)
    }

    fn start_found(found: Found, options: &Options) -> Result<Pair, Error> {
        let mut notices = found.notices();
        let containers = found.containers();
        if !containers.is_empty() {
            compose::up(&containers)?;
            notices.push(compose::TAKE_DOWN.to_owned());
        }
        let redis = match found.redis {
            Source::Url { url, .. } => Half::Url(url),
            Source::Compose => Half::Compose,
            Source::Installed(path) => Half::Private(RedisServer::start_from(path, options)?),
        };
        let postgres = match found.postgres {
            Source::Url { url, .. } => Half::Url(url),
            Source::Compose => Half::Compose,
            Source::Installed(path) => Half::Private(PostgresServer::start_from(path, options)?),
        };
        if let Half::Private(server) = &postgres {
            notices.extend_from_slice(server.notices());
        }
        Ok(Pair {
            redis,
            postgres,
            notices,
        })
    }

    /// The URL of the Redis. It may hold a password where `REDIS_URL` does: do not print it.
    pub fn redis_url(&self) -> &str {
        match &self.redis {
            Half::Url(url) => url,
            Half::Private(server) => server.url(),
            Half::Compose => compose::REDIS_URL,
        }
    }

    /// The URL of the Postgres. It may hold a password where `DATABASE_URL` does: do not print it.
    pub fn database_url(&self) -> &str {
        match &self.postgres {
            Half::Url(url) => url,
            Half::Private(server) => server.url(),
            Half::Compose => compose::DATABASE_URL,
        }
    }

    /// Where the servers came from.
    pub fn origin(&self) -> Origin {
        match (&self.redis, &self.postgres) {
            (Half::Url(_), _) | (_, Half::Url(_)) => Origin::Urls,
            (Half::Private(_), Half::Private(server)) => Origin::Private {
                data: server.data().to_owned(),
            },
            (Half::Compose, _) | (_, Half::Compose) => Origin::Compose,
        }
    }

    /// Whether both servers are this process' own, so that they may be killed and emptied.
    pub fn is_private(&self) -> bool {
        matches!(self.origin(), Origin::Private { .. })
    }

    /// The folder of the Postgres data that stays when this process ends, if it is a private server's.
    pub fn kept_data(&self) -> Option<&Path> {
        match &self.postgres {
            Half::Private(server) if server.is_kept() => Some(server.data()),
            _ => None,
        }
    }

    /// The Redis, to kill and to restart it, if it is private.
    pub fn redis_server(&mut self) -> Option<&mut RedisServer> {
        match &mut self.redis {
            Half::Private(server) => Some(server),
            Half::Url(_) | Half::Compose => None,
        }
    }

    /// The Postgres, to kill and to restart it, if it is private.
    pub fn postgres_server(&mut self) -> Option<&mut PostgresServer> {
        match &mut self.postgres {
            Half::Private(server) => Some(server),
            Half::Url(_) | Half::Compose => None,
        }
    }

    /// What whoever started the pair should know, one line each: where the data is when it is not
    /// where it was wanted, what goes on running.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }
}

/// The pair of this test process, started at the first call; `REDIS_URL` and `DATABASE_URL` count.
///
/// It is never dropped: private servers end with the process.
///
/// # Panics
/// When there are no servers, with the message that helps.
pub fn shared() -> &'static Pair {
    static SHARED: OnceLock<Pair> = OnceLock::new();
    SHARED.get_or_init(|| match Pair::start(&Options::throw_away()) {
        Ok(pair) => pair,
        Err(error) => panic!("{error}"),
    })
}

impl Found {
    /// The servers that run in containers.
    fn containers(&self) -> Vec<ServerName> {
        let redis = matches!(self.redis, Source::Compose).then_some(ServerName::Redis);
        let postgres = matches!(self.postgres, Source::Compose).then_some(ServerName::Postgres);
        redis.into_iter().chain(postgres).collect()
    }

    /// One URL without the other is allowed, but may be a slip.
    fn notices(&self) -> Vec<String> {
        let notice = match (self.redis.is_url(), self.postgres.is_url()) {
            (true, false) => {
                "DATABASE_URL is not set: started a Postgres for the Redis of REDIS_URL"
            }
            (false, true) => {
                "REDIS_URL is not set: started a Redis for the Postgres of DATABASE_URL"
            }
            _ => return Vec::new(),
        };
        vec![notice.to_owned()]
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Urls => f.write_str("servers named by REDIS_URL or DATABASE_URL"),
            Origin::Private { data } => {
                write!(f, "private servers, data in {}", from_here(data).display())
            }
            Origin::Compose => f.write_str("containers of docker compose"),
        }
    }
}

/// A path in the working directory as one would type it.
fn from_here(path: &Path) -> &Path {
    let here = env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path)
}
