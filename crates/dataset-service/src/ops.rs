//! What operators reach, on a listener of its own: figures and health are none of the customers' business, and
//! whoever asks whether the instance is ready must be answered also while it stops.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fenced_section::{Resource, Ttl};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use lease_lock::{AcquireError, Attempt};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use tokio::time::timeout;
use uuid::Uuid;

use crate::RedisDown;
use crate::service::{Phase, Service};

/// How long each server may take to answer. Redis has one second of its own before that.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);
/// The lease that readiness takes lives for so long where it is not given back.
const PROBE_TTL_MS: u64 = 1000;
/// What is said of a server that does what a query needs of it.
const ANSWERS: &str = "answers";
/// What is said of a server where that does not matter.
const NOT_ASKED: &str = "not asked";
/// The exposition format of Prometheus.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Clone)]
struct Ops {
    service: Service,
    figures: PrometheusHandle,
    /// What readiness takes a lease of; no other instance does.
    probe: Resource,
}

/// Whether the instance takes queries, and what keeps it from that.
#[derive(Serialize)]
struct Readiness {
    ready: bool,
    postgres: &'static str,
    datasets: &'static str,
    redis: &'static str,
    stopping: bool,
}

impl Readiness {
    const STOPPING: Readiness = Readiness {
        ready: false,
        postgres: NOT_ASKED,
        datasets: NOT_ASKED,
        redis: NOT_ASKED,
        stopping: true,
    };
}

impl Service {
    /// The paths of operators: `/live`, `/ready`, `/metrics`.
    pub fn ops_router(&self, figures: PrometheusHandle) -> Router {
        let instance = Uuid::new_v4().to_string();
        let probe = Resource::from_parts(["dataset-service", "ready", &instance]);
        let ops = Ops {
            service: self.clone(),
            figures,
            probe: probe.expect("words and a UUID make a name"),
        };
        Router::new()
            // The process turns. Nothing that a restart of it would not mend is asked here.
            .route("/live", get(async || "alive\n"))
            .route("/ready", get(ready))
            .route("/metrics", get(metrics))
            .with_state(ops)
    }
}

async fn ready(State(ops): State<Ops>) -> Response {
    let said = tokio::select! {
        biased;
        // Said at once: how the servers are makes no difference any more, and one of them may be silent.
        () = ops.service.reached(Phase::Draining) => Readiness::STOPPING,
        said = servers_say(&ops) => said,
    };
    let status = match said.ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    let body = serde_json::to_string(&said).expect("readiness is words");
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

async fn servers_say(ops: &Ops) -> Readiness {
    let service = &ops.service;
    let (postgres, datasets, redis) = tokio::join!(
        postgres_says(service),
        within(service.0.datasets.answers()),
        redis_answers(ops)
    );
    let datasets = word(datasets.is_some());
    // Without Redis the other two choices go on.
    let needs_redis = service.config().redis_down == RedisDown::FailClosed;
    let servers_are_well = postgres == ANSWERS && datasets == ANSWERS && (redis || !needs_redis);
    Readiness {
        ready: servers_are_well,
        postgres,
        datasets,
        redis: word(redis),
        stopping: false,
    }
}

fn word(answers: bool) -> &'static str {
    match answers {
        true => ANSWERS,
        false => "does not answer",
    }
}

/// Whether the Postgres of guard, ledger and answers takes writes: each query needs several.
async fn postgres_says(service: &Service) -> &'static str {
    let asked = sqlx::query_as(include_str!("../sql/ready.sql"));
    match within(service.store().call(asked)).await {
        Some((false,)) => "takes no writes",
        answer => word(answer.is_some()),
    }
}

/// What a server answers in time.
async fn within<T, E>(asked: impl Future<Output = Result<T, E>>) -> Option<T> {
    timeout(ANSWERED_WITHIN, asked).await.ok()?.ok()
}

/// Takes a lease and gives it back, which is what a query needs of Redis: a read-only replica answers a PING.
async fn redis_answers(ops: &Ops) -> bool {
    let ttl = Ttl::from_millis(PROBE_TTL_MS).expect("a second is a TTL");
    let attempt = Attempt::new(ops.probe.clone(), ttl);
    let taken = ops.service.sections().locks().try_acquire(&attempt);
    match timeout(ANSWERED_WITHIN, taken).await {
        Ok(Ok(lease)) => lease.release().await.is_ok(),
        // It answers: it has forgotten its counters, or another look at this instance is under way.
        Ok(Err(AcquireError::CounterMissing { .. } | AcquireError::Held { .. })) => true,
        Ok(Err(_)) | Err(_) => false,
    }
}

async fn metrics(State(ops): State<Ops>) -> impl IntoResponse {
    ([(CONTENT_TYPE, EXPOSITION)], ops.figures.render())
}
