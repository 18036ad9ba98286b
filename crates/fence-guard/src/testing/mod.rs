//! The conformance kit: a service runs it against its own tables under the guard.
//!
//! The guard keeps what it is asked to keep. Whether a service asks it in the right order, in the right
//! transaction, for every write, is the service's own doing, and a test that only writes once never notices.
//! The kit drives two holders of the service's own code through the orders of events that broke systems like it:
//! with real sessions, held up at gates, and seen waiting in Postgres.
//!
//! A service implements [`Subject`], says of itself what it claims ([`Claims`]), and lets [`conform`] loose on
//! it in a test:
//!
//! ```no_run
//! # use fence_guard::testing::{Subject, conform};
//! # async fn example(subject: impl Subject) -> Result<(), Box<dyn std::error::Error>> {
//! let report = conform(subject).await?.require()?;
//! println!("{report}");
//! # Ok(())
//! # }
//! ```
//!
//! The report is a table: scenario, rule, verdict, what was seen. What a verdict is worth was tried: every wrong
//! guard of this workspace's tests is convicted by at least one scenario.
//!
//! # How it holds a write up
//!
//! While it runs, triggers stand on the tables that [`Claims::effects`] and [`Claims::openings`] name. They come
//! behind all others of a row, change nothing, and wait for the kit: within the statement, or before the commit,
//! when everything has been checked. So a write that is *past its check* is a matter of fact and not of luck.
//!
//! # What it needs
//!
//! A test database, reached directly or through a pooler in session mode; the service's role; and an operator's
//! role that owns the tables and may create the schema `fence_kit`, in which the gates are. No superuser.

mod actor;
mod claims;
mod error;
mod freeze;
mod gate;
mod outcome;
mod report;
mod rule;
mod run;
mod scenarios;
mod stage;
mod stop;
mod subject;
mod unopened;

pub use claims::{Claims, Protected};
pub use error::{KitError, NotConforming};
pub use outcome::{Applied, Effect, Entered, Rejected};
pub use report::{Played, Report, Verdict};
pub use rule::Rule;
pub use run::conform;
pub use scenarios::Scenario;
pub use subject::Subject;
pub use unopened::unopened;
