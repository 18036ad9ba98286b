//! `ledger doctor`: both servers, and what each thing means for fences.

mod bypass;
mod clocks;
mod diagnosis;
mod postgres;
mod redis;
mod rights;
mod versions;

use std::io::Write;

use crate::cli::Doctor;
use crate::error::Error;
use crate::output::Output;
use crate::run::Ended;
use crate::servers::Servers;
use diagnosis::{Diagnosis, Severity};

/// `ledger doctor`, the worst first. What cannot be looked at is a diagnosis too, and the rest goes on.
pub(crate) async fn doctor(
    servers: &Servers,
    args: &Doctor,
    to: &mut (dyn Write + Send),
) -> Result<Ended, Error> {
    let database = &servers.database;
    let mut found = postgres::look(database).await?;
    found.extend(rights::look(database).await?);
    found.extend(versions::look(database).await?);
    found.extend(bypass::look(database).await?);
    match servers.redis_url() {
        Some(url) => {
            found.extend(redis::look(url).await);
            found.push(clocks::look(database, url).await?);
        }
        None => found.push(redis::not_named()),
    }
    found.sort_by_key(|diagnosis| std::cmp::Reverse(diagnosis.severity));
    Output::new(args.format, to).rows(&found)?;
    let counts = if args.errors_only {
        Severity::Error
    } else {
        Severity::Warning
    };
    let is_found = found.iter().any(|diagnosis| diagnosis.severity >= counts);
    Ok(if is_found {
        Ended::Finding
    } else {
        Ended::Fine
    })
}
