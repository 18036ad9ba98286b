//! What has happened, page by page: entries, holds, refused writes.

use fence::{Holder, Reason, Resource};
use fence_guard::{Page, StoreError};
use sqlx::types::time::OffsetDateTime;

use crate::hold_state::HoldState;
use crate::ledger::Ledger;
use crate::names::Account;
use crate::records::{EntryRow, HoldRow, RefusedWrite};

/// Which rows of the history are asked for; each part narrows it, and without any it is all of them.
///
/// Each part alone has its index. Two that many rows have each, and few have both, cost the rows of one of them.
///
/// ```
/// # use credit_ledger::{Account, Filter};
/// # fn example(account: Account, month: time::OffsetDateTime) {
/// let of_an_account = Filter::from(&account);
/// let this_month = Filter::all().of(account).since(month);
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Filter {
    account: Option<Account>,
    resource: Option<Resource>,
    holder: Option<Holder>,
    since: Option<OffsetDateTime>,
    until: Option<OffsetDateTime>,
}

impl Filter {
    /// Every row.
    pub fn all() -> Filter {
        Filter::default()
    }

    /// Of this account.
    pub fn of(self, account: Account) -> Filter {
        Filter {
            account: Some(account),
            ..self
        }
    }

    /// Written, or refused, under this resource.
    pub fn under(self, resource: Resource) -> Filter {
        Filter {
            resource: Some(resource),
            ..self
        }
    }

    /// Written, or tried, by this holder.
    pub fn by(self, holder: Holder) -> Filter {
        Filter {
            holder: Some(holder),
            ..self
        }
    }

    /// From this moment on, that moment included, by the database's clock. Of a refused write it is the first attempt
    /// that counts. Where that clock was set back, a page by time can lack rows of the time that came twice.
    pub fn since(self, moment: OffsetDateTime) -> Filter {
        Filter {
            since: Some(moment),
            ..self
        }
    }

    /// Before this moment; as [`since`](Filter::since).
    pub fn until(self, moment: OffsetDateTime) -> Filter {
        Filter {
            until: Some(moment),
            ..self
        }
    }

    fn account(&self) -> Option<&str> {
        self.account.as_ref().map(Account::as_str)
    }

    fn resource(&self) -> Option<&str> {
        self.resource.as_ref().map(Resource::as_str)
    }
}

impl From<&Account> for Filter {
    fn from(account: &Account) -> Filter {
        Filter::all().of(account.clone())
    }
}

impl Ledger {
    /// Entries, page by page: `0`, or the newest ([`Page::NEWEST`]), then the last [`seq`](EntryRow::seq) of the page
    /// before; at most `limit`.
    ///
    /// Of one account, pages that follow each other lack nothing: its entries commit in the order of their numbers. Of
    /// several they can: a transaction that has drawn its number, and commits later, is below the end of a page that was
    /// read meanwhile. Whoever watches everything, and must not miss that, reads by account, or starts each time from
    /// where he was before the oldest transaction in flight began.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn entries(
        &self,
        filter: impl Into<Filter>,
        page: impl Into<Page>,
        limit: u16,
    ) -> Result<Vec<EntryRow>, StoreError> {
        let (filter, page) = (filter.into(), page.into());
        let query = sqlx::query_as("select * from credit.entries($1, $2, $3, $4, $5, $6, $7, $8)")
            .bind(filter.account())
            .bind(page.after())
            .bind(i32::from(limit))
            .bind(filter.resource())
            .bind(filter.holder.map(Holder::as_uuid))
            .bind(filter.since)
            .bind(filter.until)
            .bind(page.before());
        self.store.read(query).await
    }

    /// Holds, each with how it stands at this moment; pages as
    /// [`entries`](Ledger::entries). A page of those that are void or expired reads as many as are so and have not been
    /// given back ([`sweep_holds`](Ledger::sweep_holds)), and looks at each opening that took over. Only those that stand as `state` says, if it says so.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn holds(
        &self,
        filter: impl Into<Filter>,
        state: Option<HoldState>,
        page: impl Into<Page>,
        limit: u16,
    ) -> Result<Vec<HoldRow>, StoreError> {
        let (filter, page) = (filter.into(), page.into());
        let query =
            sqlx::query_as("select * from credit.holds($1, $2, $3, $4, $5, $6, $7, $8, $9)")
                .bind(filter.account())
                .bind(page.after())
                .bind(i32::from(limit))
                .bind(state.map(HoldState::as_str))
                .bind(filter.resource())
                .bind(filter.holder.map(Holder::as_uuid))
                .bind(filter.since)
                .bind(filter.until)
                .bind(page.before());
        self.store.read(query).await
    }

    /// The refused writes to the ledger, with what each would have done; pages as
    /// [`entries`](Ledger::entries), save that no lock puts those of one account in the order of their commits. Only those that were refused for `reason`, if it says one.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn refusals(
        &self,
        filter: impl Into<Filter>,
        reason: Option<Reason>,
        page: impl Into<Page>,
        limit: u16,
    ) -> Result<Vec<RefusedWrite>, StoreError> {
        let (filter, page) = (filter.into(), page.into());
        let query =
            sqlx::query_as("select * from credit.refusals($1, $2, $3, $4, $5, $6, $7, $8, $9)")
                .bind(filter.account())
                .bind(page.after())
                .bind(i32::from(limit))
                .bind(reason.map(Reason::as_str))
                .bind(filter.resource())
                .bind(filter.holder.map(Holder::as_uuid))
                .bind(filter.since)
                .bind(filter.until)
                .bind(page.before());
        self.store.read(query).await
    }
}
