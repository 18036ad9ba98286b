//! The money: set aside, then charged or given back. Each is a guarded transaction, and each is done once however often
//! it is sent.

use std::time::Duration;

use credit_ledger::{Capture, Error, Hold, Purpose, Release, RequestId};
use fence_guard::{GuardedTx, OpenPermit};
use tracing::field;

use crate::answered::{Answered, How};
use crate::asked::Asked;
use crate::causes::Causes;
use crate::deadline::{STEP_WITHIN, Silent};
use crate::service::Service;
use crate::{Findings, Problem, Query, deadline, figures, id};

/// How long a guarded transaction may stand still before the server ends it; the guard's least.
const STANDS_STILL: Duration = Duration::from_secs(1);
/// How long the way back may take: the release of what was held.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);

impl Service {
    /// The hold of a query in this section. What came to nothing in an earlier one was held under another fence, and
    /// is another hold.
    pub(crate) fn hold_for(&self, asked: &Asked, open: &OpenPermit) -> Result<Hold, Problem> {
        let Query { from, to } = asked.query;
        let purpose = format!("dataset {}, days {from} to {to}", asked.dataset);
        Ok(Hold {
            request: step_of(asked.request, "hold", open),
            account: id::account(&asked.user).map_err(Problem::internal)?,
            amount: self.config().price,
            purpose: Purpose::new(purpose).map_err(Problem::internal)?,
            expires_in: self.config().hold(),
        })
    }

    /// Sets the price aside, and binds the key to the query, both or neither. Sent again once where the reply was
    /// lost.
    pub(crate) async fn set_aside(
        &self,
        open: &OpenPermit,
        asked: &Asked,
        hold: &Hold,
    ) -> Result<(), Problem> {
        let set_aside = deadline::step(async {
            match self.try_set_aside(open, asked, hold).await {
                Err(Problem::Unknown(_)) => self.try_set_aside(open, asked, hold).await,
                answer => answer,
            }
        });
        set_aside.await.map_err(Problem::without_a_charge)
    }

    async fn try_set_aside(
        &self,
        open: &OpenPermit,
        asked: &Asked,
        hold: &Hold,
    ) -> Result<(), Problem> {
        let mut tx = self.begin("hold", open, asked).await?;
        match self.0.ledger.hold_within(&mut tx, open, hold).await {
            Ok(_) => {}
            Err(Error::InsufficientCredit { balance, held }) => {
                tx.rollback().await?;
                return Err(self.no_credit(asked, balance, held).await);
            }
            Err(error) => return Err(self.refused_by_ledger("hold", error)),
        }
        asked.bind(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Captures the credits and keeps the answer, both or neither.
    ///
    /// It is not cancelled when the lease is lost. Whether it comes too late is the guard's to say, and where
    /// nobody has taken over it does not. Sent again once where the reply was lost, and unknown where no reply comes.
    pub(crate) async fn charge(
        &self,
        open: &OpenPermit,
        asked: &Asked,
        hold: &Hold,
        findings: Findings,
    ) -> Result<Answered, Problem> {
        let charged = async {
            match self.try_charge(open, asked, hold, findings).await {
                Err(Problem::Unknown(cause)) => {
                    let again = self.try_charge(open, asked, hold, findings).await;
                    // Whatever keeps it from being asked again, the first try may have been charged for.
                    again.map_err(|error| {
                        let error = field::display(Causes(&error));
                        tracing::warn!(
                            error,
                            "a charge whose reply was lost was sent again, in vain"
                        );
                        Problem::Unknown(cause)
                    })
                }
                answer => answer,
            }
        };
        let silent = |silent: Silent| Problem::Unknown(silent.into());
        deadline::answered(STEP_WITHIN, charged, silent).await
    }

    async fn try_charge(
        &self,
        open: &OpenPermit,
        asked: &Asked,
        hold: &Hold,
        findings: Findings,
    ) -> Result<Answered, Problem> {
        let capture = Capture {
            request: asked.request,
            hold: hold.request,
            amount: hold.amount,
        };
        let mut tx = self.begin("capture", open, asked).await?;
        let captured = self.0.ledger.capture_within(&mut tx, open, &capture).await;
        let applied = captured.map_err(|error| self.refused_by_ledger("capture", error))?;
        if applied.replayed {
            // The first try has committed, and its answer with it.
            tx.rollback().await?;
            let kept = asked.find_answer(self.store()).await?;
            let body = kept.ok_or_else(|| Problem::internal("a capture without its answer"))?;
            return Ok(Answered::kept(body, How::Now));
        }
        let (price, balance) = (hold.amount.get(), applied.balance_after);
        let answered = Answered::now(asked, findings, price, balance);
        asked.keep(&mut tx, &answered.body).await?;
        tx.commit().await?;
        Ok(answered)
    }

    /// Frees what was held for a query that came to nothing. Best effort: what cannot be released is void once the
    /// dataset is taken over, and expires otherwise. Of a holder that was overtaken and does not know it is refused, as a
    /// row.
    pub(crate) async fn give_back(&self, open: &OpenPermit, hold: &Hold) {
        let release = Release {
            request: step_of(hold.request, "release", open),
            hold: hold.request,
        };
        let released =
            tokio::time::timeout(RELEASED_WITHIN, self.0.ledger.release(open, &release)).await;
        match released {
            // Where nothing is held, the hold itself was the request whose fate was unknown.
            Ok(Ok(_) | Err(Error::UnknownHold)) => {}
            Ok(Err(error)) => {
                let problem = self.refused_by_ledger("release", error);
                tracing::info!(error = %Causes(&problem), "what was held is void, or expires");
            }
            Err(_) => tracing::warn!("no answer to a release; what was held expires"),
        }
    }

    async fn begin(
        &self,
        operation: &'static str,
        open: &OpenPermit,
        asked: &Asked,
    ) -> Result<GuardedTx, Problem> {
        let guard = self.0.sections.guard();
        let begun = guard
            .begin(open, operation, asked.request.as_uuid(), STANDS_STILL)
            .await;
        begun.map_err(|error| {
            let problem = Problem::from(error);
            if let Problem::Overtaken(refusal) = &problem {
                figures::refused(operation, refusal.reason());
            }
            problem
        })
    }
}

/// The request id of a step, of which a section takes one each.
fn step_of(request: RequestId, what: &str, open: &OpenPermit) -> RequestId {
    let step = format!("{what} under fence {}", open.permit().fence());
    RequestId::from_idempotency_key(request.as_uuid(), &step)
}
