//! `ledger stats`: how often sections outlived their lease.

use std::io::Write;

use fence_guard::FiguresOf;

use crate::cli::Stats;
use crate::database::Database;
use crate::error::Error;
use crate::output::Output;
use crate::run::say;

/// `ledger stats`.
pub(crate) async fn stats(
    database: &Database,
    args: &Stats,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let now = database.now().await?;
    let of = FiguresOf {
        since: args.since.before(now),
        until: now,
        depth: args.by,
        every: args.every,
        limit: args.limit,
    };
    let rows = database.guard().figures(of).await;
    let rows = rows.map_err(|error| database.error(error))?;
    Output::new(args.format, to).rows(&rows)?;
    if rows.is_empty() {
        say("nothing was opened or refused in that time");
    }
    Ok(())
}
