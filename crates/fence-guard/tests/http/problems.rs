//! Problems as such: their URIs are told apart, and what the caller is not told is logged once.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use fence_guard::http::{ForeignProblem, Problem, ProblemType};
use fence_guard::{Fence, Holder, Permit, Reason, Refusal, StoreError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps the events of one thread, as level and fields.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<(Level, String)>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.0
            .lock()
            .unwrap()
            .push((*event.metadata().level(), fields.0));
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What is logged while a problem is answered, and the answer's body.
fn answered(problem: Problem) -> (Vec<(Level, String)>, String) {
    let log = Log::default();
    let body = tracing::subscriber::with_default(log.clone(), || problem.into_http().into_body());
    let events = log.0.lock().unwrap().clone();
    (events, body)
}

#[test]
fn every_type_has_a_uri_of_its_own_that_reads_back() {
    let uris: HashSet<_> = ProblemType::ALL.map(ProblemType::uri).into();
    assert_eq!(uris.len(), ProblemType::ALL.len());
    for kind in ProblemType::ALL {
        assert_eq!(kind.uri().parse(), Ok(kind));
        assert!(kind.status().is_client_error() || kind.status().is_server_error());
    }
    assert_eq!("about:blank".parse::<ProblemType>(), Err(ForeignProblem));
}

/// They stand in the services of others: a changed one breaks them.
#[test]
fn the_uris_of_refusals_are_the_documented_ones() {
    for (reason, uri) in [
        (Reason::Stale, "tag:fence-guard,2026:stale"),
        (Reason::NotOpen, "tag:fence-guard,2026:not-open"),
        (Reason::Conflict, "tag:fence-guard,2026:conflict"),
        (Reason::Closed, "tag:fence-guard,2026:closed"),
    ] {
        assert_eq!(ProblemType::Refused(reason).uri(), uri);
    }
}

#[test]
fn what_the_database_said_is_logged_once_and_not_answered() {
    let said = "password authentication failed for user \"ledger\"";
    let error = sqlx::Error::Io(std::io::Error::other(said));
    let (events, body) = answered(StoreError::Unknown(error).into());
    assert!(!body.contains("ledger"), "{body}");
    assert_eq!(events.len(), 1, "{events:?}");
    let (level, fields) = &events[0];
    assert_eq!(*level, Level::ERROR);
    assert!(
        fields.contains(said) && fields.contains("tag:fence-guard,2026:unknown"),
        "{fields}"
    );
}

#[test]
fn a_refusal_is_no_error_of_the_service_and_is_not_logged() {
    let permit = Permit::new("r".parse().unwrap(), Fence::MIN, Holder::random());
    let opened_by = Some(Holder::random());
    let refusal = Refusal::new(permit, Reason::Stale, Fence::MAX.as_floor(), opened_by);
    let (events, body) = answered(refusal.into());
    assert!(events.is_empty(), "{events:?}");
    // As text: as a number it would be 4611686018427388000 to many a reader.
    assert!(
        body.contains(r#""observed_fence":"4611686018427387903""#),
        "{body}"
    );
}
