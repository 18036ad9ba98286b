//! How servers are to be started.

use std::path::{Path, PathBuf};

/// What private servers keep, what they survive, and how they are set up.
///
/// Servers that URLs name are used as they are.
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) kept: Option<PathBuf>,
    pub(crate) durable: bool,
    pub(crate) redis: Vec<(String, String)>,
    pub(crate) postgres: Vec<(String, String)>,
    pub(crate) pgbouncer: Vec<(String, String)>,
}

impl Options {
    /// Data in a temporary folder that is removed at the end. Postgres does not wait for the disk
    /// (`fsync` off): its data survives `kill -9` of Postgres, but no crash of the machine.
    pub fn throw_away() -> Options {
        Options {
            kept: None,
            durable: false,
            redis: Vec::new(),
            postgres: Vec::new(),
            pgbouncer: Vec::new(),
        }
    }

    /// Postgres' data in `folder`, which stays, and is used again by the next run; `fsync` on.
    ///
    /// One run at a time can use it. Another one meanwhile gets throw-away servers, and a line in
    /// [`Pair::notices`](crate::Pair::notices). Redis always starts empty and without persistence.
    pub fn kept(folder: impl AsRef<Path>) -> Options {
        Options {
            kept: Some(folder.as_ref().to_owned()),
            ..Options::throw_away().durable()
        }
    }

    /// Postgres waits for the disk at each commit, as in production. Needed by whatever measures
    /// commits.
    pub fn durable(mut self) -> Options {
        self.durable = true;
        self
    }

    /// One more line of Redis' configuration, such as `maxmemory-policy` and `allkeys-lru`.
    pub fn redis_config(mut self, name: &str, value: &str) -> Options {
        self.redis.push((name.to_owned(), value.to_owned()));
        self
    }

    /// One more setting of Postgres, such as `max_connections` and `500`. The last one counts.
    pub fn postgres_config(mut self, name: &str, value: &str) -> Options {
        self.postgres.push((name.to_owned(), value.to_owned()));
        self
    }

    /// One more setting of PgBouncer, such as `default_pool_size` and `2`. The last one counts.
    pub fn pgbouncer_config(mut self, name: &str, value: &str) -> Options {
        self.pgbouncer.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Default for Options {
    /// The same as [`Options::throw_away`].
    fn default() -> Options {
        Options::throw_away()
    }
}
