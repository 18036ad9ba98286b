//! Which Postgres is asked: the one that is named, else the rows that the last story kept.

use std::env;

use fence_guard::{Filter, Guard, Page};
use testbed::{Options, Pair, PostgresServer, ServerName};
use time::OffsetDateTime;
use url::Url;

use crate::database::{Database, options, pool};
use crate::error::Error;
use crate::kept;

/// The database to ask, and the server that was started for it, if one was. It ends with this.
#[derive(Debug)]
pub struct Servers {
    /// The database.
    pub database: Database,
    /// What was found where, for people: one line, if it is not what a URL names.
    pub notices: Vec<String>,
    redis_url: Option<String>,
    _started: Option<Started>,
}

impl Servers {
    /// Finds the database: `DATABASE_URL`, else the rows that the last `cargo demo` kept, on a private Postgres that is
    /// started for this, or in a container.
    ///
    /// # Errors
    /// [`Error`], which says what to do.
    pub async fn find() -> Result<Servers, Error> {
        if let Some(url) = variable("DATABASE_URL") {
            return Ok(Servers {
                database: Database::connect(&url).await?,
                notices: Vec::new(),
                redis_url: variable("REDIS_URL"),
                _started: None,
            });
        }
        match tokio::task::spawn_blocking(start).await {
            Ok(Ok(started)) => started.servers().await,
            Ok(Err(error)) => Err(error),
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    /// The URL of the Redis to look at, if there is one. It may hold a password: do not print it.
    pub fn redis_url(&self) -> Option<&str> {
        self.redis_url.as_deref()
    }
}

/// What was started.
#[derive(Debug)]
enum Started {
    Private(Box<PostgresServer>),
    Containers(Box<Pair>),
}

/// Starts Postgres on the kept rows. It blocks for about a second.
fn start() -> Result<Started, Error> {
    let folder = kept::folder();
    let options = Options::kept(&folder);
    if !testbed::has_kept(&folder)? {
        return match testbed::find() {
            Ok(found) if found.has_postgres_in_container() => {
                Ok(Started::Containers(Box::new(Pair::start(&options)?)))
            }
            // That only a Redis is missing keeps nobody from asking Postgres.
            Err(testbed::Error::NotFound(missing))
                if missing.missing().contains(&ServerName::Postgres) =>
            {
                Err(testbed::Error::NotFound(missing).into())
            }
            Ok(_) | Err(testbed::Error::NotFound(_)) => Err(Error::NothingKept),
            Err(error) => Err(error.into()),
        };
    }
    let server = PostgresServer::start(&options)?;
    if server.is_kept() {
        Ok(Started::Private(Box::new(server)))
    } else {
        Err(Error::KeptInUse)
    }
}

impl Started {
    async fn servers(self) -> Result<Servers, Error> {
        match &self {
            Started::Private(server) => {
                let data = server.data().display();
                let from = format!("asking the rows that the last run kept in {data}");
                let url = newest_story(server.url()).await?;
                Ok(Servers {
                    database: Database::connect(&url).await?,
                    notices: [vec![from], server.notices().to_vec()].concat(),
                    redis_url: variable("REDIS_URL"),
                    _started: Some(self),
                })
            }
            Started::Containers(pair) => Ok(Servers {
                database: Database::connect(pair.database_url()).await?,
                notices: pair.notices().to_vec(),
                redis_url: Some(pair.redis_url().to_owned()),
                _started: Some(self),
            }),
        }
    }
}

/// The URL of the database that was played in last. There is one for each version of the tables.
async fn newest_story(server: &str) -> Result<String, Error> {
    let unreachable = |source| Error::Unreachable {
        address: testbed::redacted(server),
        source,
    };
    let maintenance = pool(options(server).map_err(unreachable)?);
    let names = sqlx::query_scalar(include_str!("../sql/kept_databases.sql"))
        .bind(kept::DATABASE_PREFIX)
        .fetch_all(&maintenance)
        .await;
    let names: Vec<String> = names.map_err(unreachable)?;
    maintenance.close().await;
    let mut newest: Option<(Option<OffsetDateTime>, String)> = None;
    for name in names {
        let url = with_database(server, &name);
        let played = last_opening(&url).await;
        if newest.as_ref().is_none_or(|(at, _)| played > *at) {
            newest = Some((played, url));
        }
    }
    newest.map(|(_, url)| url).ok_or(Error::NothingKept)
}

/// When something was opened last. A database of another version may not tell.
async fn last_opening(url: &str) -> Option<OffsetDateTime> {
    let guard = Guard::new(pool(options(url).ok()?));
    let newest = guard.openings(Filter::all(), Page::NEWEST, 1).await;
    guard.pool().close().await;
    newest.ok()?.first().map(|row| row.at)
}

fn with_database(server: &str, name: &str) -> String {
    match Url::parse(server) {
        Ok(mut url) => {
            url.set_path(name);
            url.into()
        }
        // What was connected to is a URL.
        Err(_) => server.to_owned(),
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
