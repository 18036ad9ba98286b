//! The ledger that a worker charges: the story's own, which is wrong, or `credit-ledger` on the guard.

use credit_ledger::{Account, Charge, Credits, Error, Ledger, Purpose, RequestId};
use fence_guard::{Floor, Guard, Resource};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::{Duration, OffsetDateTime};

use super::lock::Pass;
use crate::cell::Protection;
use crate::wire::{Event, Job};

/// What one query costs, in credits.
pub(crate) const PRICE: i64 = 1;
/// "Paid for" is a read over a billing period, so no unique key can express it.
const BILLING_PERIOD: Duration = Duration::days(30);

/// A ledger, and the account and query that the job is about.
pub(crate) struct Book {
    pool: PgPool,
    job: Job,
    guarded: Option<Guarded>,
}

/// The protection of this workspace.
struct Guarded {
    guard: Guard,
    ledger: Ledger,
    account: Account,
    purpose: Purpose,
}

impl Book {
    pub(crate) async fn open(job: &Job) -> anyhow::Result<Book> {
        let pool = PgPoolOptions::new()
            .max_connections(2)
            .connect(&job.database_url)
            .await?;
        let guard = Guard::new(pool.clone());
        let guarded = match job.protection {
            Protection::FenceOpened => Some(Guarded {
                ledger: Ledger::on(&guard),
                guard,
                account: Account::new(&*job.account)?,
                purpose: Purpose::new(&*job.purpose)?,
            }),
            _ => None,
        };
        Ok(Book {
            pool,
            job: job.clone(),
            guarded,
        })
    }

    /// The guard that must be opened before the first read, where the protection has one.
    pub(crate) fn guard(&self) -> Option<&Guard> {
        self.guarded.as_ref().map(|guarded| &guarded.guard)
    }

    /// The floor of the next fence.
    pub(crate) async fn mark(&self, resource: &Resource) -> anyhow::Result<Floor> {
        if let Some(guard) = self.guard() {
            return Ok(guard.mark(resource).await?);
        }
        let (mark,): (i64,) =
            sqlx::query_as("select coalesce(max(fence), 0) from story.mark where resource = $1")
                .bind(resource.as_str())
                .fetch_one(&self.pool)
                .await?;
        Ok(Floor::try_from(mark)?)
    }

    /// How often the query was paid for in this billing period, and the balance.
    pub(crate) async fn read(&self) -> anyhow::Result<(i64, i64)> {
        let since = OffsetDateTime::now_utc() - BILLING_PERIOD;
        if let Some(Guarded {
            ledger,
            account,
            purpose,
            ..
        }) = &self.guarded
        {
            let credits = ledger.charged(account, purpose, since).await?;
            return Ok((credits / PRICE, ledger.balance(account).await?.unwrap_or(0)));
        }
        let row = sqlx::query_as(
            "select (select count(*) from story.entry
                     where account = $1 and purpose = $2 and at >= $3), balance
             from story.account where name = $1",
        );
        let job = &self.job;
        Ok(row
            .bind(&job.account)
            .bind(&job.purpose)
            .bind(since)
            .fetch_one(&self.pool)
            .await?)
    }

    /// The query that the customer pays for.
    pub(crate) async fn run_slow_query(&self) -> anyhow::Result<()> {
        sqlx::query("select pg_sleep(0.05)")
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Charges for the query, and says how that went.
    pub(crate) async fn charge(&self, pass: Pass<'_>) -> anyhow::Result<Event> {
        match (pass, &self.guarded) {
            (Pass::Open(open), Some(guarded)) => guarded.charge(open, &self.job).await,
            (Pass::Fence(fence), _) => self.charge_under_mark(fence.as_i64()).await,
            _ if self.job.protection == Protection::RequestId => self.charge_by_request().await,
            _ => self.charge_plainly().await,
        }
    }

    async fn charge_plainly(&self) -> anyhow::Result<Event> {
        let job = &self.job;
        let (entry, balance) =
            sqlx::query_as("select seq, balance from story.charge($1, $2, $3, null, null)")
                .bind(&job.account)
                .bind(PRICE)
                .bind(&job.purpose)
                .fetch_one(&self.pool)
                .await?;
        Ok(Event::Charged {
            entry,
            balance,
            fence: None,
        })
    }

    async fn charge_by_request(&self) -> anyhow::Result<Event> {
        let job = &self.job;
        let (entry, balance, replayed) = sqlx::query_as(
            "select seq, balance, replayed from story.charge_by_request($1, $2, $3, $4)",
        )
        .bind(&job.account)
        .bind(PRICE)
        .bind(&job.purpose)
        .bind(job.request)
        .fetch_one(&self.pool)
        .await?;
        Ok(if replayed {
            Event::Replayed { entry, balance }
        } else {
            Event::Charged {
                entry,
                balance,
                fence: None,
            }
        })
    }

    async fn charge_under_mark(&self, fence: i64) -> anyhow::Result<Event> {
        let job = &self.job;
        let (entry, balance, mark): (Option<i64>, Option<i64>, i64) = sqlx::query_as(
            "select seq, balance, mark from story.charge_under_mark($1, $2, $3, $4, $5)",
        )
        .bind(&job.resource)
        .bind(fence)
        .bind(&job.account)
        .bind(PRICE)
        .bind(&job.purpose)
        .fetch_one(&self.pool)
        .await?;
        let fence = fence.cast_unsigned();
        Ok(match (entry, balance) {
            (Some(entry), Some(balance)) => Event::Charged {
                entry,
                balance,
                fence: Some(fence),
            },
            _ => Event::Refused {
                reason: "stale".to_owned(),
                presented: fence,
                mark: mark.cast_unsigned(),
                opened_by: None,
            },
        })
    }
}

impl Guarded {
    async fn charge(&self, open: &fence_guard::OpenPermit, job: &Job) -> anyhow::Result<Event> {
        let charge = Charge {
            request: RequestId::from_uuid(job.request)?,
            account: self.account.clone(),
            amount: Credits::new(PRICE)?,
            purpose: self.purpose.clone(),
        };
        match self.ledger.charge(open, &charge).await {
            Ok(applied) if applied.replayed => Ok(Event::Replayed {
                entry: applied.seq,
                balance: applied.balance_after,
            }),
            Ok(applied) => Ok(Event::Charged {
                entry: applied.seq,
                balance: applied.balance_after,
                fence: Some(open.permit().fence().get()),
            }),
            Err(Error::Refused(refusal)) => Ok(Event::Refused {
                reason: refusal.reason().to_string(),
                presented: refusal.presented().fence().get(),
                mark: refusal.mark().get(),
                opened_by: refusal.opened_by().map(|holder| holder.as_uuid()),
            }),
            Err(error) => Err(error.into()),
        }
    }
}
