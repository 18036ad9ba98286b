//! What the log says of a request: one line, when it is answered, in a span that everything else it causes stands in.

use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use credit_ledger::RequestId;
use fenced_section::Permit;
use tracing::{Instrument, Span, field};

use crate::figures;

/// What kind of answer a response is, for its line of the log.
#[derive(Debug, Clone, Copy)]
struct Kind(&'static str);

/// One span and one line of the log for each request.
///
/// The span is an error's, so that it is there, and says whose fault is meant, also where only warnings are logged.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let span = tracing::error_span!(
        "dataset_service.request",
        http.method = %request.method(),
        http.path = request.uri().path(),
        request.id = field::Empty,
        fence.presented = field::Empty,
        fence.holder = field::Empty,
    );
    let began = Instant::now();
    async move {
        let response = next.run(request).await;
        let kind = response.extensions().get().map(|&Kind(kind)| kind);
        let (status, took) = (response.status().as_u16(), began.elapsed().as_millis());
        tracing::info!(
            answer.kind = kind,
            http.status = status,
            http.took_ms = took as u64,
            "answered"
        );
        response
    }
    .instrument(span)
    .await
}

/// The request in whose span we are has this id: its rows of `dataset.query`, `credit.entry` and `fence.refusal` do.
pub(crate) fn asked(request: RequestId) {
    Span::current().record("request.id", field::display(request));
}

/// The request in whose span we are has entered a section.
pub(crate) fn entered(permit: &Permit) {
    let span = Span::current();
    span.record("fence.presented", permit.fence().get());
    span.record("fence.holder", field::display(permit.holder()));
}

/// Counts an answer, and names it to [`observe`]: `answered`, `replayed`, `unfenced`, or a problem's kind.
pub(crate) fn answered(response: &mut Response, kind: &'static str) {
    figures::answered(kind);
    response.extensions_mut().insert(Kind(kind));
}
