//! Where the two servers will come from.

use std::env;
use std::fmt;
use std::path::PathBuf;

use crate::error::ServerName;
use crate::{Error, binaries, compose};

/// Where the two servers will come from; nothing has been started yet.
#[derive(Debug)]
pub struct Found {
    pub(crate) redis: Source,
    pub(crate) postgres: Source,
}

/// Where one server comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A variable that names a running server. The URL may hold a password.
    Url { variable: &'static str, url: String },
    /// An installed program (Redis), or the folder of several (Postgres).
    Installed(PathBuf),
    /// The repository's `docker-compose.yml`.
    Compose,
}

/// Looks for servers in this order: `REDIS_URL` and `DATABASE_URL`, each for its own server;
/// installed programs; Docker Compose, where an engine answers. It starts nothing.
///
/// # Errors
/// [`Error::NotFound`] tells what was looked for, where, and what helps; [`Error::WrongVariable`]
/// when `REDIS_SERVER` or `PG_BIN` leads nowhere.
pub fn find() -> Result<Found, Error> {
    let redis = source("REDIS_URL", binaries::redis)?;
    let postgres = source("DATABASE_URL", binaries::postgres)?;
    match (redis, postgres) {
        (Some(redis), Some(postgres)) => Ok(Found { redis, postgres }),
        (redis, postgres) => match compose::engine() {
            // One server from a container and one from a program would be neither kind of pair.
            Ok(()) => Ok(Found {
                redis: redis.filter(Source::is_url).unwrap_or(Source::Compose),
                postgres: postgres.filter(Source::is_url).unwrap_or(Source::Compose),
            }),
            Err(why) => Err(NotFound::new(redis.is_none(), postgres.is_none(), Some(why)).into()),
        },
    }
}

/// The installed programs of both, whatever the URLs say.
pub(crate) fn installed() -> Result<Found, Error> {
    match (binaries::redis()?, binaries::postgres()?) {
        (Some(redis), Some(postgres)) => Ok(Found {
            redis: Source::Installed(redis),
            postgres: Source::Installed(postgres),
        }),
        (redis, postgres) => Err(NotFound::new(redis.is_none(), postgres.is_none(), None).into()),
    }
}

pub(crate) fn installed_redis() -> Result<PathBuf, Error> {
    binaries::redis()?.ok_or_else(|| NotFound::new(true, false, None).into())
}

pub(crate) fn installed_postgres() -> Result<PathBuf, Error> {
    binaries::postgres()?.ok_or_else(|| NotFound::new(false, true, None).into())
}

pub(crate) fn installed_pgbouncer() -> Result<PathBuf, Error> {
    let missing = NotFound {
        missing: vec![ServerName::PgBouncer],
        compose: None,
    };
    binaries::pgbouncer()?.ok_or_else(|| missing.into())
}

fn source(
    variable: &'static str,
    installed: impl FnOnce() -> Result<Option<PathBuf>, Error>,
) -> Result<Option<Source>, Error> {
    match env::var(variable) {
        Ok(url) if !url.is_empty() => Ok(Some(Source::Url { variable, url })),
        _ => Ok(installed()?.map(Source::Installed)),
    }
}

impl Found {
    /// Whether the Postgres is one of Docker Compose, which goes on running, and so keeps its rows.
    pub fn has_postgres_in_container(&self) -> bool {
        matches!(self.postgres, Source::Compose)
    }
}

impl Source {
    pub(crate) fn is_url(&self) -> bool {
        matches!(self, Source::Url { .. })
    }
}

/// `redis from /usr/bin/redis-server, postgres from DATABASE_URL`: never a URL itself.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "redis from {}, postgres from {}",
            self.redis, self.postgres
        )
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Url { variable, .. } => f.write_str(variable),
            Source::Installed(path) => path.display().fmt(f),
            Source::Compose => f.write_str("docker compose"),
        }
    }
}

/// Which servers are missing, where they were looked for, and what helps.
#[derive(Debug, thiserror::Error)]
pub struct NotFound {
    missing: Vec<ServerName>,
    /// Why Docker Compose cannot help; `None` where private servers are needed.
    compose: Option<String>,
}

impl NotFound {
    fn new(redis: bool, postgres: bool, compose: Option<String>) -> NotFound {
        let redis = redis.then_some(ServerName::Redis);
        let postgres = postgres.then_some(ServerName::Postgres);
        NotFound {
            missing: redis.into_iter().chain(postgres).collect(),
            compose,
        }
    }

    /// The servers that are neither named by a URL nor installed; at least one.
    pub fn missing(&self) -> &[ServerName] {
        &self.missing
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        writeln!(f, "no {} to run with; looked for", names.join(" and no "))?;
        for server in &self.missing {
            writeln!(f, "  {server}: {}", places(*server, self.compose.is_some()))?;
        }
        if let Some(why) = &self.compose {
            writeln!(f, "  docker compose: {why}")?;
        }
        let packages: Vec<&str> = self.missing.iter().map(|s| package(*s)).collect();
        let (manager, packages) = (package_manager(), packages.join(" "));
        write!(
            f,
            "install them with `{manager} {packages}`; \
             `cargo demo` and `cargo xtask test` do that where they can"
        )
    }
}

/// The places where `server` was looked for. A URL does not help who needs a private server.
fn places(server: ServerName, urls_help: bool) -> String {
    let (url, places) = match server {
        ServerName::Redis => (
            "REDIS_URL",
            "REDIS_SERVER, redis-server or valkey-server in PATH, Homebrew's folders",
        ),
        ServerName::Postgres => (
            "DATABASE_URL",
            "PG_BIN, postgres with initdb in PATH, `pg_config --bindir`, \
             /usr/lib/postgresql/*/bin, Homebrew's folders",
        ),
        // No URL leads to one: the tests of poolers need their own settings.
        ServerName::PgBouncer => return "PGBOUNCER, pgbouncer in PATH, /usr/sbin, /usr/bin".into(),
    };
    if urls_help {
        format!("{url}, {places}")
    } else {
        places.to_owned()
    }
}

fn package(server: ServerName) -> &'static str {
    match server {
        ServerName::Redis if cfg!(target_os = "macos") => "redis",
        ServerName::Redis => "redis-server",
        ServerName::Postgres => "postgresql",
        ServerName::PgBouncer => "pgbouncer",
    }
}

fn package_manager() -> &'static str {
    if cfg!(target_os = "macos") {
        "brew install"
    } else {
        "apt-get install"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_places_and_the_line_that_helps() {
        let why = Some("`docker info` does not answer".to_owned());
        let text = NotFound::new(true, false, why).to_string();
        for part in [
            "no redis",
            "REDIS_URL",
            "REDIS_SERVER",
            "`docker info`",
            "cargo demo",
        ] {
            assert!(text.contains(part), "{part} is missing in: {text}");
        }
        assert!(!text.contains("PG_BIN"), "{text}");
    }

    #[test]
    fn who_needs_a_private_server_is_not_sent_to_urls_or_containers() {
        let text = NotFound::new(true, true, None).to_string();
        assert!(text.contains("PG_BIN") && !text.contains("_URL") && !text.contains("docker"));
    }

    #[test]
    fn where_servers_come_from_is_told_without_their_urls() {
        let found = Found {
            redis: Source::Url {
                variable: "REDIS_URL",
                url: "redis://:secret@host/".to_owned(),
            },
            postgres: Source::Installed("/opt/postgres/bin".into()),
        };
        let text = found.to_string();
        assert_eq!(
            text,
            "redis from REDIS_URL, postgres from /opt/postgres/bin"
        );
    }
}
