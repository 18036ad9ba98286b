//! One query, from the look whether it is answered already to the end of its section.
//!
//! enter → look → hold → slow query → capture and keep the answer, in one transaction → leave.

use std::time::Instant;

use fenced_section::{EnterError, Section};
use tracing::Instrument;

use crate::answered::{Answered, How};
use crate::asked::Asked;
use crate::service::{Phase, Service};
use crate::{Findings, Problem, RedisDown, figures};

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
        if let Some(body) = asked.find_answer(self.pool()).await? {
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
        let failed = match sections.enter(&asked.resource, &options).await {
            Ok(section) => return Ok(Some(section)),
            Err(error) => error,
        };
        match (failed, self.0.config.redis_down) {
            (EnterError::Redis(_), RedisDown::EnterFromGuard) => {
                let entered = sections.enter_from_guard(&asked.resource, &options).await;
                entered.map(Some).map_err(not_entered)
            }
            (EnterError::Redis(_), RedisDown::RunUnfenced) => Ok(None),
            (other, _) => Err(not_entered(other)),
        }
    }

    /// The query without a permit: there is nothing to charge with.
    async fn unfenced(&self, asked: &Asked) -> Result<Answered, Problem> {
        let query = self.0.datasets.run(&asked.dataset, asked.query);
        let findings = self.0.sections.run_unfenced(query).await?;
        Ok(Answered::unfenced(asked, findings))
    }

    async fn within(&self, section: &Section, asked: &Asked) -> Result<Answered, Problem> {
        let open = section.open()?;
        // Whoever was here before has left, or writes no more: what is found now is decided by.
        if let Some(body) = asked.find_answer(self.pool()).await? {
            return Ok(Answered::kept(body, How::Replayed));
        }
        let hold = self.hold_for(asked, open)?;
        let answered = async {
            self.set_aside(open, asked, &hold).await?;
            let findings = self.run(section, asked).await?;
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
}

fn not_entered(error: EnterError) -> Problem {
    Problem::from(error).without_a_charge()
}
