//! Accounts: opened, frozen, closed; their floor, and how they stand.

use fence_guard::StoreError;
use sqlx::types::time::OffsetDateTime;

use crate::answer::Answer;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::names::Account;

/// How an account stands at a moment. It is a plain read: whoever decides by it opens first.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct Standing {
    /// The sum of its entries, in credits.
    pub balance: i64,
    /// What of it open holds set aside.
    pub held: i64,
    /// Below this a charge or hold does not take it: 0, or less for a credit line. `balance - held - floor` can be
    /// taken.
    pub floor: i64,
    /// When it was opened, by the database's clock.
    pub opened_at: OffsetDateTime,
    /// Since when nothing is taken out of it, if it is frozen.
    pub frozen_at: Option<OffsetDateTime>,
    /// When it was closed for good, if it was.
    pub closed_at: Option<OffsetDateTime>,
}

impl Standing {
    /// What a charge or a hold may take, in credits: balance − held − floor, at least 0, and 0 for an account that is
    /// frozen or closed. At most 2^63 − 1.
    pub fn available(&self) -> i64 {
        if self.frozen_at.is_some() || self.closed_at.is_some() {
            return 0;
        }
        let available = i128::from(self.balance) - i128::from(self.held) - i128::from(self.floor);
        i64::try_from(available.max(0)).unwrap_or(i64::MAX)
    }
}

impl Ledger {
    /// Opens a user account with a balance of 0 and a floor of 0. False if it was there already, also if it was closed
    /// since: a name is not given again.
    ///
    /// # Errors
    /// [`StoreError`] if the name is a system account's, or if Postgres does not answer.
    pub async fn open_account(&self, account: &Account) -> Result<bool, StoreError> {
        self.open_account_with_floor(account, 0).await
    }

    /// Opens a user account with a credit line: it can be charged down to `floor` credits, 0 or less. False if it was
    /// there already; its floor is then as it was ([`set_floor`](Ledger::set_floor)).
    ///
    /// # Errors
    /// [`StoreError`] if the name is a system account's, if the floor is above 0, or if Postgres does not answer.
    pub async fn open_account_with_floor(
        &self,
        account: &Account,
        floor: i64,
    ) -> Result<bool, StoreError> {
        let query = sqlx::query_as("select credit.open_account($1, $2, $3)")
            .bind(account.as_str())
            .bind(floor)
            .bind("open_account");
        let (is_new,) = self.store.call(query).await?;
        Ok(is_new)
    }

    /// Moves the floor of an account, 0 or less. False if it was there already.
    ///
    /// # Errors
    /// [`Error::BelowFloor`] if the account would be below it at once; [`Error::UnknownAccount`],
    /// [`Error::ClosedAccount`], [`Error::Store`].
    pub async fn set_floor(&self, account: &Account, floor: i64) -> Result<bool, Error> {
        let query = sqlx::query_as("select * from credit.set_floor($1, $2, $3)")
            .bind(account.as_str())
            .bind(floor)
            .bind("set_floor");
        let answer: Answer = self.store.call(query).await?;
        answer.changed()
    }

    /// Freezes an account: when this has returned, nothing is taken out of it until it is unfrozen, neither by charge
    /// and hold nor by the capture of what is held. It still gets grants, refunds and releases. False if it was frozen.
    ///
    /// # Errors
    /// [`Error::UnknownAccount`], [`Error::ClosedAccount`], [`Error::Store`].
    pub async fn freeze_account(&self, account: &Account) -> Result<bool, Error> {
        let query = sqlx::query_as("select * from credit.freeze_account($1, $2)")
            .bind(account.as_str())
            .bind("freeze_account");
        let answer: Answer = self.store.call(query).await?;
        answer.changed()
    }

    /// Ends [`freeze_account`](Ledger::freeze_account). False if it was not frozen.
    ///
    /// # Errors
    /// As there.
    pub async fn unfreeze_account(&self, account: &Account) -> Result<bool, Error> {
        let query = sqlx::query_as("select * from credit.unfreeze_account($1, $2)")
            .bind(account.as_str())
            .bind("unfreeze_account");
        let answer: Answer = self.store.call(query).await?;
        answer.changed()
    }

    /// Closes an account whose balance is 0 and of which nothing is held, for good. Its entries stay; its name is not
    /// given again. False if it was closed.
    ///
    /// # Errors
    /// [`Error::NotEmpty`], [`Error::UnknownAccount`], [`Error::Store`].
    pub async fn close_account(&self, account: &Account) -> Result<bool, Error> {
        let query = sqlx::query_as("select * from credit.close_account($1, $2)")
            .bind(account.as_str())
            .bind("close_account");
        let answer: Answer = self.store.call(query).await?;
        answer.changed()
    }

    /// The balance of a user account in credits, what is held included; `None` if there is no such account.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn balance(&self, account: &Account) -> Result<Option<i64>, StoreError> {
        let query = sqlx::query_as("select credit.balance($1)").bind(account.as_str());
        let (balance,) = self.store.call(query).await?;
        Ok(balance)
    }

    /// How a user account stands; `None` if there is no such account.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn standing(&self, account: &Account) -> Result<Option<Standing>, StoreError> {
        let query = sqlx::query_as("select * from credit.standing($1)").bind(account.as_str());
        let rows = self.store.read(query).await?;
        Ok(rows.into_iter().next())
    }

    /// Gives back what dead holds set aside on up to `accounts` accounts (1 to 10 000) that nobody books on, as soon as one
    /// of theirs has expired: every verb does so for the account that it locks. Those whose holds expired first come first; what is locked is
    /// left out. Returns how many holds that were; call it now and then, until it returns 0: what is left then is of
    /// accounts that somebody had locked. Nothing depends on it: such holds are dead before they are swept.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn sweep_holds(&self, accounts: u16) -> Result<i64, StoreError> {
        let query = sqlx::query_as("select credit.sweep_holds($1, $2)")
            .bind(i32::from(accounts))
            .bind("sweep_holds");
        let (holds,) = self.store.call(query).await?;
        Ok(holds)
    }
}
