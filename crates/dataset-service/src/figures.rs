//! What is counted beyond the figures of `fenced_section`, and the recorder of both.
//!
//! Labels are words of a fixed set: kinds of answers, reasons of refusals. A user or a dataset is never one.

use std::time::{Duration, Instant};

use fenced_section::{HOLD_BOUNDS_PERCENT, Reason};
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// The upper bounds of the buckets of how long a query takes, in seconds.
const QUERY_SECONDS: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

const ANSWERS: &str = "dataset_service.answers";
const REFUSED_WRITES: &str = "dataset_service.refused_writes";
const IN_FLIGHT: &str = "dataset_service.in_flight";
const QUERY: &str = "dataset_service.query_seconds";

/// What this service does under the guard, and is refused where it comes too late.
const OPERATIONS: [&str; 3] = ["hold", "capture", "release"];
const REASONS: [Reason; 4] = [
    Reason::Stale,
    Reason::NotOpen,
    Reason::Conflict,
    Reason::Closed,
];

/// Installs the recorder of the process. Prometheus' names have `_` for each `.`.
///
/// # Errors
/// [`BuildError`] where the process has one already.
pub(crate) fn install() -> Result<PrometheusHandle, BuildError> {
    let ratios = HOLD_BOUNDS_PERCENT.map(|percent| f64::from(percent) / 100.0);
    let hold = Matcher::Full("fenced_section.hold_ratio".to_owned());
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(hold, &ratios)?
        .set_buckets_for_metric(Matcher::Full(QUERY.to_owned()), &QUERY_SECONDS)?
        .install_recorder()?;
    describe();
    start_at_zero();
    Ok(handle)
}

/// A request of a customer was answered: `kind` is `answered`, `replayed`, `unfenced`, or a problem's.
pub(crate) fn answered(kind: &'static str) {
    counter!(ANSWERS, "kind" => kind).increment(1);
}

/// The guard turned a write of this service away; it is a row.
pub(crate) fn refused(operation: &'static str, reason: Reason) {
    counter!(REFUSED_WRITES, "operation" => operation, "reason" => reason.as_str()).increment(1);
}

/// Records how long a query has taken when it has ended, well or not, or is dropped.
#[derive(Debug)]
pub(crate) struct QueryTook {
    from: Instant,
}

impl QueryTook {
    pub(crate) fn from_now() -> QueryTook {
        QueryTook {
            from: Instant::now(),
        }
    }

    pub(crate) fn so_far(&self) -> Duration {
        self.from.elapsed()
    }
}

impl Drop for QueryTook {
    fn drop(&mut self) {
        histogram!(QUERY).record(self.so_far().as_secs_f64());
    }
}

/// Of queries in flight. Counted up and down: how many slots are left does not say it while a stopping instance takes them.
pub(crate) fn one_more_in_flight() {
    gauge!(IN_FLIGHT).increment(1);
}

pub(crate) fn one_less_in_flight() {
    gauge!(IN_FLIGHT).decrement(1);
}

/// What alerts ask for. Those that come with a label are shown from the start as well: an alert on the growth of a figure
/// does not see its first step, if that is what makes it appear.
fn start_at_zero() {
    gauge!(IN_FLIGHT).set(0);
    for name in ["left", "overruns", "takeovers", "healed", "unfenced"] {
        counter!(format!("fenced_section.{name}")).increment(0);
    }
    for kind in ["unknown", "unavailable", "internal"] {
        counter!(ANSWERS, "kind" => kind).increment(0);
    }
    for operation in OPERATIONS {
        for reason in REASONS {
            counter!(REFUSED_WRITES, "operation" => operation, "reason" => reason.as_str())
                .increment(0);
        }
    }
}

fn describe() {
    describe_counter!(ANSWERS, "Answers to customers, by kind");
    describe_counter!(
        REFUSED_WRITES,
        "Writes that the guard refused; each is a row"
    );
    describe_gauge!(IN_FLIGHT, "Queries in flight");
    describe_histogram!(QUERY, Unit::Seconds, "How long queries took");
    let sections = [
        ("entered", "Sections entered"),
        ("left", "Sections left"),
        ("overruns", "Sections that outlived their lease"),
        (
            "takeovers",
            "Sections entered over an opening that was not closed",
        ),
        ("refusals", "Openings and closes that the guard refused"),
        (
            "healed",
            "Sections that went on above the guard's mark because Redis had lost numbers",
        ),
        ("unknown", "Requests without an answer, each sent again"),
        ("unfenced", "Works that ran without lease and permit"),
    ];
    for (name, help) in sections {
        describe_counter!(format!("fenced_section.{name}"), help);
    }
    describe_histogram!("fenced_section.hold_ratio", "Time held, divided by the TTL");
}
