//! Safe and available without Redis: the guard mints the fence.

use std::time::Instant;

use fence::{Holder, Resource};
use fence_guard::{Error, StoreError};
use lease_lock::Ttl;
use tracing::instrument;

use crate::hold::{Hold, Minted};
use crate::section::Entered;
use crate::{EnterError, EnterOptions, Section, Sections};

impl Sections {
    /// Opens the resource without a lease, under a fence that the guard mints: for when Redis is down.
    ///
    /// It is as safe as [`enter`](Sections::enter), and slower to take over: while another's opening is
    /// unclosed and valid by the database's clock, the answer is [`EnterError::Busy`]. The opening is
    /// valid for [`EnterOptions::ttl`], or for [`EnterOptions::max_hold`] where there is one, because
    /// nothing renews it; until then a Redis that comes back does not cut it short, because the guard
    /// answers *busy* to the holders of new leases. It never waits.
    ///
    /// # Errors
    /// [`EnterError`], but never one of Redis.
    #[instrument(name = "fenced_section.enter_from_guard", skip_all, err(level = "debug"), fields(
        fence.resource = %resource,
        lease.ttl_ms = options.ttl.as_millis(),
    ))]
    pub async fn enter_from_guard(
        &self,
        resource: &Resource,
        options: &EnterOptions,
    ) -> Result<Section, EnterError> {
        let since = Instant::now();
        let holder = Holder::random();
        let time = options.max_hold.unwrap_or(options.ttl.as_duration());
        let time = time.min(Ttl::MAX.as_duration());
        let mut answer = self.guard.open_next(resource, holder, time).await;
        if matches!(answer, Err(Error::Store(StoreError::Unknown(_)))) {
            // The same holder finds its own opening, whose time began with the first request.
            self.figures.unknown("postgres");
            answer = self.guard.open_next(resource, holder, time).await;
        }
        if let Err(Error::Refused(refusal)) = &answer {
            self.figures.refused(refusal.reason());
        }
        let hold = Hold::Minted(Minted::starting(since, time));
        let section = Section::new(self, answer?, hold, since, options, Entered::Guard);
        match section.open() {
            Ok(_) => Ok(section),
            Err(lost) => {
                section.leave().await;
                Err(lost.into())
            }
        }
    }
}
