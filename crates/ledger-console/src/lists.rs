//! The four lists: refusals, entries, openings, holds. The newest come first, a page at a time.

use std::io::Write;

use credit_ledger::{Account, Filter as LedgerFilter};
use time::OffsetDateTime;

use crate::cli::{Entries, Holds, Listing, Openings, Refusals, Whose};
use crate::database::Database;
use crate::error::Error;
use crate::output::{Output, Row};
use crate::run::say;

/// `ledger refusals`.
pub(crate) async fn refusals(
    database: &Database,
    args: &Refusals,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let mut filter = guard_filter(database, &args.whose, &args.listing).await?;
    if let Some(reason) = args.reason {
        filter = filter.refused_for(reason.into());
    }
    let (page, limit) = (args.listing.page(), args.listing.limit);
    let rows = database.guard().refusals(filter, page, limit).await;
    let rows = rows.map_err(|error| database.error(error))?;
    write(&rows, |row| row.seq, &args.listing, to)
}

/// `ledger openings`.
pub(crate) async fn openings(
    database: &Database,
    args: &Openings,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let filter = guard_filter(database, &args.whose, &args.listing).await?;
    let (page, limit) = (args.listing.page(), args.listing.limit);
    let rows = database.guard().openings(filter, page, limit).await;
    let rows = rows.map_err(|error| database.error(error))?;
    write(&rows, |row| row.seq, &args.listing, to)
}

/// `ledger entries`.
pub(crate) async fn entries(
    database: &Database,
    args: &Entries,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let ledger = database.need_ledger()?;
    let filter = ledger_filter(database, args.account.as_ref(), &args.whose, &args.listing).await?;
    let (page, limit) = (args.listing.page(), args.listing.limit);
    let rows = ledger.entries(filter, page, limit).await;
    let rows = rows.map_err(|error| database.error(error))?;
    write(&rows, |row| row.seq, &args.listing, to)
}

/// `ledger holds`.
pub(crate) async fn holds(
    database: &Database,
    args: &Holds,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let ledger = database.need_ledger()?;
    let filter = ledger_filter(database, args.account.as_ref(), &args.whose, &args.listing).await?;
    let (page, limit) = (args.listing.page(), args.listing.limit);
    let rows = ledger.holds(filter, args.state, page, limit).await;
    let rows = rows.map_err(|error| database.error(error))?;
    write(&rows, |row| row.seq, &args.listing, to)
}

async fn since(database: &Database, listing: &Listing) -> Result<Option<OffsetDateTime>, Error> {
    match listing.since {
        Some(moment) => Ok(Some(moment.before(database.now().await?))),
        None => Ok(None),
    }
}

async fn guard_filter(
    database: &Database,
    whose: &Whose,
    listing: &Listing,
) -> Result<fence_guard::Filter, Error> {
    let filter = whose.filter();
    let since = since(database, listing).await?;
    Ok(since.map_or(filter.clone(), |since| filter.since(since)))
}

async fn ledger_filter(
    database: &Database,
    account: Option<&Account>,
    whose: &Whose,
    listing: &Listing,
) -> Result<LedgerFilter, Error> {
    let mut filter = account.map_or_else(LedgerFilter::all, LedgerFilter::from);
    if let Some(resource) = &whose.resource {
        filter = filter.under(resource.clone());
    }
    if let Some(holder) = whose.holder {
        filter = filter.by(holder);
    }
    if let Some(since) = since(database, listing).await? {
        filter = filter.since(since);
    }
    Ok(filter)
}

/// Writes a page, and says how the next one is had.
fn write<R: Row>(
    rows: &[R],
    number: impl Fn(&R) -> i64,
    listing: &Listing,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    Output::new(listing.format, to).rows(rows)?;
    match rows.last() {
        None => say("there are none"),
        Some(last) if rows.len() == usize::from(listing.limit) => {
            say(&format!(
                "{} shown; older ones: --before {}",
                rows.len(),
                number(last)
            ));
        }
        Some(_) => {}
    }
    Ok(())
}
