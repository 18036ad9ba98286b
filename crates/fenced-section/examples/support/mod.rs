//! Private servers, both schemas, and a customer with 100 credits; everything ends with the example.
#![allow(dead_code, reason = "each example uses a part of it")]

use credit_ledger::{Account, Charge, Credits, Grant, Ledger, Purpose, RequestId};
use fenced_section::{EnterOptions, Guard, LeaseLock, Prefix, Resource, Sections, Ttl};
use testbed::{Options, Pair};
use time::OffsetDateTime;

pub(crate) struct Stage {
    pub(crate) sections: Sections,
    pub(crate) ledger: Ledger,
    pub(crate) account: Account,
    pub(crate) purpose: Purpose,
    pub(crate) resource: Resource,
    /// When the billing period began.
    period: OffsetDateTime,
    /// Dropped last: the servers go with it.
    pub(crate) pair: Pair,
}

impl Stage {
    pub(crate) async fn new() -> anyhow::Result<Stage> {
        let pair = Pair::start_private(&Options::throw_away())?;
        let guard = Guard::connect(pair.database_url()).await?;
        let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
        fence_guard::install(guard.pool(), &schemas).await?;
        let locks = LeaseLock::connect(pair.redis_url(), Prefix::new("example:")?).await?;
        let stage = Stage {
            ledger: Ledger::on(&guard),
            sections: Sections::new(locks, guard),
            account: Account::new("user:7")?,
            purpose: Purpose::new("query of dataset 42")?,
            period: OffsetDateTime::UNIX_EPOCH,
            resource: "user:7:dataset:42".parse()?,
            pair,
        };
        stage.ledger.open_account(&stage.account).await?;
        let grant = Grant {
            request: RequestId::random(),
            account: stage.account.clone(),
            amount: Credits::new(100)?,
            purpose: Purpose::new("first payment")?,
        };
        stage.ledger.grant(&grant).await?;
        Ok(stage)
    }

    /// How many credits this billing period has charged for the query.
    pub(crate) async fn charged(&self) -> anyhow::Result<i64> {
        let (account, purpose) = (&self.account, &self.purpose);
        Ok(self.ledger.charged(account, purpose, self.period).await?)
    }

    /// A charge of 3 credits for the query, with a request id of its own.
    pub(crate) fn charge(&self) -> anyhow::Result<Charge> {
        Ok(Charge {
            request: RequestId::random(),
            account: self.account.clone(),
            amount: Credits::new(3)?,
            purpose: self.purpose.clone(),
        })
    }
}

/// With a lease of so many milliseconds.
pub(crate) fn for_ms(millis: u64) -> anyhow::Result<EnterOptions> {
    Ok(EnterOptions::for_ttl(Ttl::from_millis(millis)?))
}
