//! One query, from the look whether it is answered already to the end of its section.
//!
//! enter → look → hold → slow query → capture and keep the answer, in one transaction → leave.

use fenced_section::{EnterError, Section};
use tracing::Instrument;

use crate::answered::{Answered, How};
use crate::asked::Asked;
use crate::problem::SOON;
use crate::service::{Phase, Service};
use crate::{Findings, Problem, RedisDown, deadline, figures, observe};

impl Service {
    /// Answers a query, and charges for it once.
    ///
    /// A query that is answered already needs no slot, so whoever sends its key again hears the answer also of an
    /// instance that is full, or that is being stopped. The look saves a section as well; and while another query is in
    /// flight it is what tells a customer whose connection broke.
    ///
    /// It goes on where the customer hangs up: what was begun is answered or given up, and whoever sends the
    /// same key again finds out which.
    pub(crate) async fn answer(&self, asked: Asked) -> Result<Answered, Problem> {
        if let Some(body) = asked.find_answer(self.store()).await? {
            return Ok(Answered::kept(body, How::Replayed));
        }
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
        let Some(section) = self.enter(asked).await? else {
            return self.unfenced(asked).await;
        };
        observe::entered(section.permit());
        let answered = self.within(&section, asked).await;
        let left = section.leave().await;
        match left.is_clean() {
            true => tracing::debug!(%left, "left a section"),
            false => tracing::warn!(%left, fence.resource = %asked.resource, "left a section"),
        }
        match answered {
            // The same key may have been answered meanwhile, by the instance that took over.
            Err(problem) if problem.may_be_answered_elsewhere() => {
                match asked.find_answer(self.store()).await {
                    Ok(Some(body)) => Ok(Answered::kept(body, How::Replayed)),
                    _ => Err(problem),
                }
            }
            answered => answered,
        }
    }

    /// Enters, by the way that is left when Redis is down; `None` where that is to go on without a section.
    async fn enter(&self, asked: &Asked) -> Result<Option<Section>, Problem> {
        let (sections, options) = (&self.0.sections, self.0.config.enter_options());
        // Redis has a bound of its own, a second; what is silent after that is Postgres.
        let entered = deadline::step(async {
            match sections.enter(&asked.resource, &options).await {
                Err(EnterError::Redis(error)) => Ok(Err(error)),
                entered => entered.map(Ok).map_err(not_entered),
            }
        });
        let error = match entered.await.map_err(|problem| self.hinted(problem))? {
            Ok(section) => return Ok(Some(section)),
            Err(error) => EnterError::Redis(error),
        };
        match self.0.config.redis_down {
            RedisDown::FailClosed => Err(not_entered(error)),
            RedisDown::EnterFromGuard => {
                let entered = sections.enter_from_guard(&asked.resource, &options);
                let entered = async { entered.await.map(Some).map_err(not_entered) };
                let entered = deadline::step(entered).await;
                entered.map_err(|problem| self.hinted(problem))
            }
            RedisDown::RunUnfenced => Ok(None),
        }
    }

    /// Another's lease says when its query is over at the latest; what queries usually take says when it is likely to be.
    fn hinted(&self, problem: Problem) -> Problem {
        match problem {
            Problem::InFlight { retry_after } => Problem::InFlight {
                retry_after: self.0.usual.time_or(SOON).min(retry_after),
            },
            other => other,
        }
    }

    /// The query without a permit: there is nothing to charge with.
    async fn unfenced(&self, asked: &Asked) -> Result<Answered, Problem> {
        let findings = self.0.sections.run_unfenced(self.run(asked)).await?;
        Ok(Answered::unfenced(asked, findings))
    }

    async fn within(&self, section: &Section, asked: &Asked) -> Result<Answered, Problem> {
        let open = section.open()?;
        // Whoever was here before has left, or writes no more: what is found now is decided by.
        if let Some(body) = asked.find_answer(self.store()).await? {
            return Ok(Answered::kept(body, How::Replayed));
        }
        let hold = self.hold_for(asked, open)?;
        let answered = async {
            self.set_aside(open, asked, &hold).await?;
            let query = section.run(async |_| self.run(asked).await);
            let findings = query.await.unwrap_or_else(|lost| Err(lost.into()))?;
            self.charge(open, asked, &hold, findings).await
        };
        let answered = answered.await;
        if let Err(problem) = &answered
            && problem.may_leave_a_hold()
        {
            self.give_back(open, &hold).await;
        }
        answered
    }

    /// Runs the slow query until the instance is told to give up; who loses a lease meanwhile drops it.
    async fn run(&self, asked: &Asked) -> Result<Findings, Problem> {
        let took = figures::QueryTook::from_now();
        tokio::select! {
            () = self.reached(Phase::GivingUp) => Err(Problem::Stopping),
            found = self.0.datasets.run(&asked.dataset, asked.query) => {
                if found.is_ok() {
                    self.0.usual.record(took.so_far());
                }
                found
            }
        }
    }
}

fn not_entered(error: EnterError) -> Problem {
    Problem::from(error).without_a_charge()
}
