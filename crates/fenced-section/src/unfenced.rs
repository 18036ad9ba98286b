//! Without a lock, and without the right to write.

use tracing::instrument;

use crate::Sections;

impl Sections {
    /// Runs work without lease and opening, when Redis is down and the work is worth doing anyway.
    ///
    /// It gets **no permit**, so it cannot charge: a guarded write takes an
    /// [`OpenPermit`](crate::OpenPermit), and a permit put together by hand is none. Several callers may
    /// run the same work at once. Only reads, caches and work that may be done twice belong here.
    ///
    /// What compiles inside a section
    /// ```no_run
    /// # use credit_ledger::{Charge, Ledger};
    /// # use fenced_section::{Section, Sections};
    /// # async fn example(sections: Sections, section: Section, ledger: Ledger, charge: Charge)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// section.run(async |open| ledger.charge(open, &charge).await).await??;
    /// # Ok(())
    /// # }
    /// ```
    /// does not compile here: there is nothing to charge with.
    /// ```compile_fail,E0308
    /// # use credit_ledger::{Charge, Ledger};
    /// # use fenced_section::{Permit, Sections};
    /// # async fn example(sections: Sections, forged: Permit, ledger: Ledger, charge: Charge)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// sections.run_unfenced(async { ledger.charge(&forged, &charge).await }).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[instrument(name = "fenced_section.run_unfenced", skip_all)]
    pub async fn run_unfenced<T>(&self, work: impl Future<Output = T>) -> T {
        self.figures.unfenced();
        work.await
    }
}
