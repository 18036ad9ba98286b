//! One query, from the look whether it is answered already to the end of its section.
//!
//! enter → look → hold → slow query → capture and keep the answer, in one transaction → leave.

use std::time::{Duration, Instant};

use credit_ledger::{Capture, Hold, Purpose, Release, RequestId};
use fence_guard::{GuardedTx, OpenPermit};
use fenced_section::{EnterError, Section};
use serde::Serialize;
use tracing::Instrument;

use crate::answers::Asked;
use crate::query::Findings;
use crate::service::{Phase, Service};
use crate::{Problem, Query, RedisDown, figures, id};

/// How long a guarded transaction may stand still before the server ends it; the guard's least.
const STANDS_STILL: Duration = Duration::from_secs(1);
/// How long the way back may take: the release of what was held.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);

/// An answer, and how it came about.
#[derive(Debug)]
pub(crate) struct Answered {
    /// JSON, byte by byte what is kept.
    pub(crate) body: String,
    pub(crate) how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Captured and kept by this request.
    Now,
    /// Captured and kept by an earlier one with the same key.
    Replayed,
    /// Neither captured nor kept: Redis is down, and the instance was told to go on without.
    Unfenced,
}

/// The body of an answer.
#[derive(Serialize)]
struct Answer<'a> {
    dataset: &'a str,
    #[serde(flatten)]
    query: Query,
    #[serde(flatten)]
    findings: Findings,
    /// Credits.
    charged: i64,
    /// After it.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<i64>,
}

impl Service {
    /// Answers a query, and charges for it once.
    ///
    /// It goes on where the customer hangs up: what was begun is answered or given up, and whoever sends the
    /// same key again finds out which.
    pub(crate) async fn answer(&self, asked: Asked) -> Result<Answered, Problem> {
        let slot = self.take_slot()?;
        let service = self.clone();
        let work = async move {
            let answered = service.perform(&asked).await;
            drop(slot);
            answered
        };
        let done = tokio::spawn(work.in_current_span()).await;
        done.unwrap_or_else(|panicked| Err(Problem::internal(panicked)))
    }

    async fn perform(&self, asked: &Asked) -> Result<Answered, Problem> {
        // Saves a section where the answer is known; and while another query is in flight it is what tells a
        // customer whose connection broke.
        if let Some(body) = asked.find_answer(self.pool()).await? {
            return Ok(Answered::replayed(body));
        }
        let Some(section) = self.enter(asked).await? else {
            return self.unfenced(asked).await;
        };
        let answered = self.within(&section, asked).await;
        let left = section.leave().await;
        match left.is_clean() {
            true => tracing::debug!(%left, "left a section"),
            false => tracing::warn!(%left, fence.resource = %asked.resource, "left a section"),
        }
        match answered {
            // The same key may have been answered meanwhile, by the instance that took over.
            Err(problem) if problem.may_be_answered_elsewhere() => {
                match asked.find_answer(self.pool()).await {
                    Ok(Some(body)) => Ok(Answered::replayed(body)),
                    _ => Err(problem),
                }
            }
            answered => answered,
        }
    }

    /// Enters, by the way that is left when Redis is down; `None` where that is to go on without a section.
    async fn enter(&self, asked: &Asked) -> Result<Option<Section>, Problem> {
        let (sections, options) = (&self.0.sections, self.0.config.enter_options());
        let failed = match sections.enter(&asked.resource, &options).await {
            Ok(section) => return Ok(Some(section)),
            Err(error) => error,
        };
        match (failed, self.0.config.redis_down) {
            (EnterError::Redis(_), RedisDown::EnterFromGuard) => {
                let section = sections.enter_from_guard(&asked.resource, &options).await?;
                Ok(Some(section))
            }
            (EnterError::Redis(_), RedisDown::RunUnfenced) => Ok(None),
            (other, _) => Err(other.into()),
        }
    }

    /// The query without a permit: there is nothing to charge with.
    async fn unfenced(&self, asked: &Asked) -> Result<Answered, Problem> {
        let query = self.0.datasets.run(&asked.dataset, asked.query);
        let findings = self.0.sections.run_unfenced(query).await?;
        Ok(Answered {
            body: asked.body(findings, 0, None),
            how: How::Unfenced,
        })
    }

    async fn within(&self, section: &Section, asked: &Asked) -> Result<Answered, Problem> {
        let open = section.open()?;
        // Whoever was here before has left, or writes no more: what is found now is decided by.
        if let Some(body) = asked.find_answer(self.pool()).await? {
            return Ok(Answered::replayed(body));
        }
        let hold = self.hold(open, asked).await?;
        let answered = match self.run(section, asked).await {
            Ok(findings) => self.charge(open, asked, &hold, findings).await,
            Err(problem) => Err(problem),
        };
        match &answered {
            // What was held by an opening that is known to be replaced is void already.
            Ok(_) | Err(Problem::Overtaken(_) | Problem::HoldGone) => {}
            Err(_) => self.give_back(open, &hold).await,
        }
        answered
    }

    /// Sets the price aside, and binds the key to the query, both or neither. Sent again once where the reply was
    /// lost: a section has one hold.
    async fn hold(&self, open: &OpenPermit, asked: &Asked) -> Result<Hold, Problem> {
        let hold = Hold {
            request: asked.step("hold", open),
            account: id::account(&asked.user).map_err(Problem::internal)?,
            amount: self.0.config.price,
            purpose: asked.purpose()?,
            expires_in: self.0.config.hold(),
        };
        match self.try_hold(open, asked, &hold).await {
            Err(Problem::Unknown(_)) => self.try_hold(open, asked, &hold).await?,
            answer => answer?,
        }
        Ok(hold)
    }

    async fn try_hold(&self, open: &OpenPermit, asked: &Asked, hold: &Hold) -> Result<(), Problem> {
        let mut tx = self.begin("hold", open, asked).await?;
        let held = self.0.ledger.hold_within(&mut tx, open, hold).await;
        held.map_err(|error| self.refused_by_ledger("hold", error))?;
        asked.bind(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Runs the slow query, for as long as the lease lives and the instance is not told to give up.
    async fn run(&self, section: &Section, asked: &Asked) -> Result<Findings, Problem> {
        let began = Instant::now();
        let query = section.run(async |_| self.0.datasets.run(&asked.dataset, asked.query).await);
        let found = tokio::select! {
            () = self.reached(Phase::GivingUp) => Err(Problem::Stopping),
            found = query => found.unwrap_or_else(|lost| Err(lost.into())),
        };
        figures::query_took(began.elapsed());
        found
    }

    /// Captures the credits and keeps the answer, both or neither.
    ///
    /// It is not cancelled when the lease is lost. Whether it comes too late is the guard's to say, and where
    /// nobody has taken over it does not. Sent again once where the reply was lost.
    async fn charge(
        &self,
        open: &OpenPermit,
        asked: &Asked,
        hold: &Hold,
        findings: Findings,
    ) -> Result<Answered, Problem> {
        match self.try_charge(open, asked, hold, findings).await {
            Err(Problem::Unknown(_)) => self.try_charge(open, asked, hold, findings).await,
            answer => answer,
        }
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
            let kept = asked.find_answer(self.pool()).await?;
            let body = kept.ok_or_else(|| Problem::internal("a capture without its answer"))?;
            return Ok(Answered {
                body,
                how: How::Now,
            });
        }
        let body = asked.body(findings, hold.amount.get(), Some(applied.balance_after));
        asked.keep(&mut tx, &body).await?;
        tx.commit().await?;
        Ok(Answered {
            body,
            how: How::Now,
        })
    }

    /// Frees what was held for a query that came to nothing. Best effort: what cannot be released is void once the
    /// dataset is taken over, and expires otherwise. Of a holder that was overtaken and does not know it is refused, as a
    /// row.
    async fn give_back(&self, open: &OpenPermit, hold: &Hold) {
        let release = Release {
            request: step_of(hold.request, "release", open),
            hold: hold.request,
        };
        let released =
            tokio::time::timeout(RELEASED_WITHIN, self.0.ledger.release(open, &release)).await;
        match released {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                let problem = self.refused_by_ledger("release", error);
                tracing::info!(%problem, "what was held is void, or expires");
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

impl Answered {
    fn replayed(body: String) -> Answered {
        Answered {
            body,
            how: How::Replayed,
        }
    }
}

impl Asked {
    /// The request id of a step, of which a section takes one each. What came to nothing in an earlier section was
    /// made under another fence, and is another step.
    fn step(&self, what: &str, open: &OpenPermit) -> RequestId {
        step_of(self.request, what, open)
    }

    fn purpose(&self) -> Result<Purpose, Problem> {
        let Query { from, to } = self.query;
        Purpose::new(format!("dataset {}, days {from} to {to}", self.dataset))
            .map_err(Problem::internal)
    }

    fn body(&self, findings: Findings, charged: i64, balance: Option<i64>) -> String {
        let (dataset, query) = (self.dataset.as_str(), self.query);
        let answer = Answer {
            dataset,
            query,
            findings,
            charged,
            balance,
        };
        serde_json::to_string(&answer).expect("an answer is text and numbers")
    }
}

fn step_of(request: RequestId, what: &str, open: &OpenPermit) -> RequestId {
    let step = format!("{what} under fence {}", open.permit().fence());
    RequestId::from_idempotency_key(request.as_uuid(), &step)
}
