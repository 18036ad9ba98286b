//! The rows of the page: a page of each list, by keyset; no list is ever counted or read whole.

use credit_ledger::{EntryRow, Filter as LedgerFilter, HoldRow};
use fence_guard::{OpeningRow, RefusalRow};

use super::asked::{Asked, List};
use crate::database::Database;
use crate::error::Error;

/// How many rows a list shows.
pub(super) const ROWS: u16 = 100;

/// What the page shows.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) openings: Vec<OpeningRow>,
    pub(super) refusals: Vec<RefusalRow>,
    pub(super) entries: Vec<EntryRow>,
    pub(super) holds: Vec<HoldRow>,
}

/// Reads what is asked for.
pub(super) async fn read(database: &Database, asked: &Asked) -> Result<Rows, Error> {
    let guard = database.guard();
    let failed = |error| database.error(error);
    let mut filter = asked.guard_filter();
    let mut of_ledger = LedgerFilter::all();
    if let Some(resource) = &asked.resource {
        of_ledger = of_ledger.under(resource.clone());
    }
    if let Some(holder) = asked.holder {
        of_ledger = of_ledger.by(holder);
    }
    if let Some(since) = asked.since {
        let since = since.before(database.now().await?);
        (filter, of_ledger) = (filter.since(since), of_ledger.since(since));
    }
    let openings = guard
        .openings(filter.clone(), asked.page(List::Openings), ROWS)
        .await;
    if let Some(reason) = asked.reason {
        filter = filter.refused_for(reason.into());
    }
    let refusals = guard
        .refusals(filter, asked.page(List::Refusals), ROWS)
        .await;
    let mut rows = Rows {
        openings: openings.map_err(failed)?,
        refusals: refusals.map_err(failed)?,
        entries: Vec::new(),
        holds: Vec::new(),
    };
    if let Some(ledger) = database.ledger() {
        let entries = ledger
            .entries(of_ledger.clone(), asked.page(List::Entries), ROWS)
            .await;
        rows.entries = entries.map_err(failed)?;
        let holds = ledger
            .holds(of_ledger, None, asked.page(List::Holds), ROWS)
            .await;
        rows.holds = holds.map_err(failed)?;
    }
    Ok(rows)
}
