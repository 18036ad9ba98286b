//! Whether credits are spent, or held for queries that may still give them back.

use std::time::Duration;

use credit_ledger::HoldState;
use sqlx::types::time::OffsetDateTime;

use crate::asked::Asked;
use crate::problem::SOON;
use crate::service::Service;
use crate::{Problem, deadline, id};

/// So many open holds are looked at for the one that expires first. They are listed as they were made, and an instance
/// holds each for as long.
const LOOKED_AT: u16 = 16;

impl Service {
    /// What somebody is told whose balance, less what is held, does not cover the price, by the ledger's own judgement.
    ///
    /// The floor, and when a hold expires, are read after it, so they are a hint. Nothing is decided by them.
    ///
    /// # Errors
    /// None that is not the answer, too: what keeps it from that look.
    pub(crate) async fn no_credit(&self, asked: &Asked, balance: i64, held: i64) -> Problem {
        let looked = deadline::step(self.look_at_holds(asked, balance, held));
        looked.await.unwrap_or_else(|problem| problem)
    }

    async fn look_at_holds(
        &self,
        asked: &Asked,
        balance: i64,
        held: i64,
    ) -> Result<Problem, Problem> {
        let (ledger, price) = (&self.0.ledger, self.config().price.get());
        let account = id::account(&asked.user).map_err(Problem::internal)?;
        let standing = ledger.standing(&account).await;
        let standing = standing.map_err(|error| Problem::from(error).without_a_charge())?;
        let floor = standing.ok_or(Problem::NoAccount)?.floor;
        let without_holds = i128::from(balance) - i128::from(floor);
        let mut frees_in = None;
        if held > 0 && without_holds >= i128::from(price) {
            let open = ledger.holds(&account, Some(HoldState::Open), 0, LOOKED_AT);
            let open = open
                .await
                .map_err(|error| Problem::from(error).without_a_charge())?;
            let expire = open.iter().map(|hold| hold.expires_at);
            // By this host's clock against the database's.
            let now = OffsetDateTime::now_utc();
            frees_in = Some(first_free(self.0.usual.time_or(SOON), expire, now));
        }
        let available = (without_holds - i128::from(held)).max(0);
        Ok(Problem::NoCredit {
            available: i64::try_from(available).unwrap_or(i64::MAX),
            held,
            price,
            frees_in,
        })
    }
}

/// When the first of some holds may be free again: when a query usually ends, or when one expires, if that is sooner.
fn first_free(
    usual: Duration,
    expire: impl Iterator<Item = OffsetDateTime>,
    now: OffsetDateTime,
) -> Duration {
    let left = expire.map(|at| Duration::try_from(at - now).unwrap_or_default());
    left.fold(usual, Duration::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_expires_sooner_than_a_query_usually_ends_is_free_sooner() {
        let now = OffsetDateTime::UNIX_EPOCH;
        let usual = Duration::from_secs(5);
        let free = |expire: &[i64]| {
            let expire = expire
                .iter()
                .map(|&seconds| OffsetDateTime::from_unix_timestamp(seconds));
            first_free(usual, expire.map(Result::unwrap), now)
        };
        assert_eq!(free(&[]), usual);
        assert_eq!(free(&[60, 9]), usual);
        assert_eq!(free(&[60, 3, 9]), Duration::from_secs(3));
        assert_eq!(free(&[-1]), Duration::ZERO);
    }
}
