//! A database and a key prefix for each test, so that tests run side by side.

use std::thread;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use url::Url;

use super::redacted;
use crate::{Error, Origin, shared, unique};

/// Postgres cuts names off after 63 bytes; so much is left for the test's name.
const NAME_BYTES: usize = 32;

/// An empty database of one test.
///
/// Dropping it drops the database where the server is not private: nothing is left behind on a
/// server that was there before. A private server takes it along when it goes.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    name: String,
    server: String,
    dropped_at_end: bool,
}

/// Makes an empty database on the [`shared`] pair, named after the test.
///
/// # Panics
/// When there is no server, or it does not make the database: a test cannot go on without.
pub async fn database(test: &str) -> TestDatabase {
    // Starting servers blocks for a second; other tests run on other threads.
    let pair = shared();
    let dropped_at_end = !matches!(pair.origin(), Origin::Private { .. });
    match TestDatabase::create(pair.database_url(), test, dropped_at_end).await {
        Ok(database) => database,
        Err(error) => panic!("no database for {test}: {error}"),
    }
}

/// A Redis key prefix that no other call returns, in any process: the test's name, then a random
/// part, then a colon; no braces.
pub fn prefix(test: &str) -> String {
    format!("{}-{}:", name(test), unique::suffix())
}

impl TestDatabase {
    /// Its URL. It may hold a password where `DATABASE_URL` does: do not print it.
    pub fn url(&self) -> &str {
        &self.url
    }

    async fn create(server: &str, test: &str, dropped_at_end: bool) -> Result<Self, Error> {
        let name = format!("test_{}_{}", name(test), unique::suffix());
        // `template0` has no connections that could keep it from being copied.
        run(
            server,
            format!(r#"create database "{name}" template template0"#),
        )
        .await
        .map_err(|source| Error::Postgres {
            url: redacted(server),
            source,
        })?;
        Ok(TestDatabase {
            url: with_database(server, &name),
            name,
            server: server.to_owned(),
            dropped_at_end,
        })
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if !self.dropped_at_end {
            return;
        }
        let statement = format!(r#"drop database if exists "{}" with (force)"#, self.name);
        let server = self.server.clone();
        // A runtime cannot be entered from within another one, but from another thread.
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.is_ok_and(|runtime| runtime.block_on(run(&server, statement)).is_ok())
        };
        if !thread::spawn(work).join().unwrap_or(false) {
            eprintln!("the database {} could not be dropped", self.name);
        }
    }
}

async fn run(server: &str, statement: String) -> Result<(), sqlx::Error> {
    let options: PgConnectOptions = server.parse()?;
    let mut connection = options.connect().await?;
    // The names in it are letters, digits and underscores.
    connection.execute(AssertSqlSafe(statement)).await?;
    connection.close().await
}

/// `server` with another database.
fn with_database(server: &str, name: &str) -> String {
    // What sqlx could connect to is a URL.
    match Url::parse(server) {
        Ok(mut url) => {
            url.set_path(name);
            url.to_string()
        }
        Err(_) => server.to_owned(),
    }
}

/// The test's name as lower-case letters, digits and underscores, cut to what fits.
fn name(test: &str) -> String {
    let plain = test.chars().map(|c| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    });
    plain.take(NAME_BYTES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_nothing_that_needs_quotes() {
        assert_eq!(name(r#"a::B "ü{}"#), "a__b_____");
        assert_eq!(name(&"x".repeat(100)).len(), NAME_BYTES);
    }

    #[test]
    fn the_database_changes_and_the_parameters_stay() {
        let url = with_database("postgres://u:p@h:1/postgres?sslmode=disable", "test_x");
        assert_eq!(url, "postgres://u:p@h:1/test_x?sslmode=disable");
    }
}
