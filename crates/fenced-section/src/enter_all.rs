//! Several resources at once: all of them are entered, or none.

use fence::Resource;
use lease_lock::{Attempt, Lease, freshen, renewing};
use tracing::instrument;

use crate::acquire::Acquired;
use crate::leave::bounded;
use crate::section::Entered;
use crate::set::SectionSet;
use crate::{EnterError, EnterOptions, Section, Sections};

/// Why several resources were not entered. None of them is then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnterAllError {
    /// One resource was named twice; nothing was asked for. Its second lease would wait for its first.
    #[error("{resource} is named twice: name each resource once")]
    Duplicate {
        /// Which one.
        resource: Resource,
    },
    /// One of them could not be entered. What had been taken of the others was given back.
    #[error(
        "nothing is entered, because {resource} could not be; given back of the others: {given_back}"
    )]
    NotEntered {
        /// Which one.
        resource: Resource,
        /// Why.
        #[source]
        source: EnterError,
        /// How many leases of others had been taken; those already open were closed first.
        given_back: usize,
    },
}

impl Sections {
    /// Enters all of the resources or none: takes every lease, then opens every resource. When it
    /// returns, no write of an earlier holder of any of them is in flight or will be let in.
    ///
    /// Leases are taken in the order of the names, so that two callers who want the same resources never
    /// wait for each other in a circle. [`EnterOptions::budget`] is for all of them together. What has
    /// been taken is renewed while others are waited for, and no opening is made before the last lease is
    /// there, so a caller that comes away empty-handed has taken nothing over.
    ///
    /// When this future is dropped, everything is given back in the background.
    ///
    /// ```no_run
    /// # use credit_ledger::{Charge, Ledger};
    /// # use fenced_section::{EnterOptions, Sections};
    /// # async fn example(sections: Sections, options: EnterOptions, ledger: Ledger,
    /// #     charge: Charge) -> Result<(), Box<dyn std::error::Error>> {
    /// let both = ["dataset:41".parse()?, "dataset:42".parse()?];
    /// let set = sections.enter_all(&both, &options).await?;
    /// let done = set.run(async |open| ledger.charge(open[0], &charge).await).await;
    /// for left in set.leave().await {
    ///     println!("{left}");
    /// }
    /// done??;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`EnterAllError`]. What could not be given back ends with its TTL.
    #[instrument(name = "fenced_section.enter_all", skip_all, err(level = "debug"), fields(
        lease.count = resources.len(),
        lease.ttl_ms = options.ttl.as_millis(),
        lease.budget_ms = options.budget.as_millis(),
    ))]
    pub async fn enter_all(
        &self,
        resources: &[Resource],
        options: &EnterOptions,
    ) -> Result<SectionSet, EnterAllError> {
        let order = canonical(resources)?;
        let leases = self.acquire_each(&order, options).await?;
        let mut sections = self.open_each(leases, options).await?;
        for lease in sections.iter_mut().filter_map(|one| one.hold.lease_mut()) {
            freshen(lease, None).await;
        }
        // The first opening was made before the last one had waited for writers in flight.
        if let Some(lost) = sections.iter().find_map(|section| section.open().err()) {
            let given_back = sections.len() - 1;
            give_back(sections, Vec::new(), options).await;
            return Err(EnterAllError::NotEntered {
                resource: lost.resource.clone(),
                source: lost.into(),
                given_back,
            });
        }
        Ok(SectionSet::new(sections, resources))
    }

    async fn acquire_each(
        &self,
        order: &[&Resource],
        options: &EnterOptions,
    ) -> Result<Vec<Acquired>, EnterAllError> {
        let deadline = options.deadline();
        let mut taken: Vec<Acquired> = Vec::with_capacity(order.len());
        for &resource in order {
            let attempt = Attempt::new(resource.clone(), options.ttl);
            let mut leases: Vec<_> = taken.iter_mut().map(|one| &mut one.lease).collect();
            let acquiring = self.acquire_new(attempt, deadline);
            match renewing(&mut leases, None, acquiring).await {
                Ok(acquired) => taken.push(acquired),
                Err(source) => {
                    let given_back = taken.len();
                    let leases = taken.into_iter().map(|one| one.lease).collect();
                    give_back(Vec::new(), leases, options).await;
                    return Err(EnterAllError::NotEntered {
                        resource: resource.clone(),
                        source,
                        given_back,
                    });
                }
            }
        }
        Ok(taken)
    }

    async fn open_each(
        &self,
        taken: Vec<Acquired>,
        options: &EnterOptions,
    ) -> Result<Vec<Section>, EnterAllError> {
        let others = taken.len().saturating_sub(1);
        let mut sections: Vec<Section> = Vec::with_capacity(taken.len());
        let mut rest = taken.into_iter();
        while let Some(acquired) = rest.next() {
            let resource = acquired.lease.resource().clone();
            let open = sections.iter_mut().filter_map(|one| one.hold.lease_mut());
            let not_open = rest.as_mut_slice().iter_mut().map(|one| &mut one.lease);
            let mut leases: Vec<_> = open.chain(not_open).collect();
            let opening = self.open_lease(acquired, options, Entered::Lease);
            match renewing(&mut leases, None, opening).await {
                Ok(section) => sections.push(section),
                Err(source) => {
                    let leases = rest.map(|one| one.lease).collect();
                    give_back(sections, leases, options).await;
                    return Err(EnterAllError::NotEntered {
                        resource,
                        source,
                        given_back: others,
                    });
                }
            }
        }
        Ok(sections)
    }
}

impl EnterAllError {
    /// Whether somebody else has one of them, or has the better claim: neither a failure nor a loss.
    pub fn is_contention(&self) -> bool {
        match self {
            EnterAllError::Duplicate { .. } => false,
            EnterAllError::NotEntered { source, .. } => source.is_contention(),
        }
    }
}

/// The order in which everybody takes them: by name, byte by byte.
fn canonical(resources: &[Resource]) -> Result<Vec<&Resource>, EnterAllError> {
    let mut order: Vec<_> = resources.iter().collect();
    order.sort_unstable();
    match order.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(order),
        Some(pair) => Err(EnterAllError::Duplicate {
            resource: pair[0].clone(),
        }),
    }
}

/// Gives back what was taken, the last one first. How that went stands in the spans of each.
async fn give_back(sections: Vec<Section>, leases: Vec<Lease>, options: &EnterOptions) {
    for lease in leases.into_iter().rev() {
        let _ = bounded(options.leave_step, lease.release()).await;
    }
    for section in sections.into_iter().rev() {
        section.leave().await;
    }
}
