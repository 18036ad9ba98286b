//! The rows of the page: a page of each list, by keyset; no list is ever counted or read whole.

use credit_ledger::{EntryRow, Filter as LedgerFilter, HoldRow};
use fence_guard::{OpeningRow, Page, RefusalRow, Resource};
use time::OffsetDateTime;

use super::asked::{Asked, List};
use crate::database::Database;
use crate::error::Error;

/// How many rows a list shows.
pub(super) const ROWS: u16 = 100;
/// How many openings a picture shows.
pub(super) const LANES: u16 = 24;
/// How many refusals, and how many entries, a picture shows at most.
const MARKS: u16 = 200;

/// What the page shows.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) openings: Vec<OpeningRow>,
    pub(super) refusals: Vec<RefusalRow>,
    pub(super) entries: Vec<EntryRow>,
    pub(super) holds: Vec<HoldRow>,
    /// What is drawn, where a resource is asked for.
    pub(super) told: Option<Told>,
}

/// What is drawn of a resource. Only the resource and the page of openings narrow it: whoever refused the write of
/// the holder that is asked for is another holder, and may have opened before the moment that is.
#[derive(Debug)]
pub(super) struct Told {
    /// By the database's clock.
    pub(super) now: OffsetDateTime,
    /// The oldest first.
    pub(super) openings: Vec<OpeningRow>,
    pub(super) refusals: Vec<RefusalRow>,
    pub(super) entries: Vec<EntryRow>,
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
        told: None,
    };
    if let Some(resource) = &asked.resource {
        rows.told = Some(told(database, resource, asked.before[List::Openings as usize]).await?);
    }
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

/// The newest openings, or those before a number, with what was refused and written from the first of them on: next to
/// the newest the newest of it, next to older ones what came after them.
async fn told(
    database: &Database,
    resource: &Resource,
    before: Option<i64>,
) -> Result<Told, Error> {
    let failed = |error| database.error(error);
    let now = database.now().await?;
    let page = before.map_or(Page::NEWEST, Page::Before);
    let openings = database.guard().openings(resource, page, LANES).await;
    let mut openings = openings.map_err(failed)?;
    openings.reverse();
    let first = openings.first().map_or(0, |row| row.seq);
    let page = before.map_or(Page::NEWEST, |_| Page::After(first));
    let refusals = database.guard().refusals(resource, page, MARKS).await;
    let mut refusals = refusals.map_err(failed)?;
    refusals.retain(|row| row.seq > first);
    let mut entries = Vec::new();
    if let Some(ledger) = database.ledger() {
        let of_it = LedgerFilter::all().under(resource.clone());
        entries = ledger.entries(of_it, page, MARKS).await.map_err(failed)?;
    }
    Ok(Told {
        now,
        openings,
        refusals,
        entries,
    })
}
