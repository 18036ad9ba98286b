//! What customers reach.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body_util::LengthLimitError;
use serde::Serialize;

use crate::answered::{Answered, How};
use crate::asked::Asked;
use crate::observe::{self, observe};
use crate::service::{Phase, Service};
use crate::{Id, InvalidId, Problem, Query, deadline, id, key};

/// The longest body of a query, in bytes.
const QUERY_BYTES: usize = 1024;
/// How long a body may take to come in.
const BODY_WITHIN: Duration = Duration::from_secs(10);
/// Says of an answer that it is an earlier one's. The draft has no word for it; this is the one that Stripe sends.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

impl Service {
    /// The paths of customers.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/users/{user}/datasets/{dataset}/queries", post(ask))
            .route("/users/{user}/credits", get(credits))
            .fallback(async || Problem::NoSuchPath)
            .method_not_allowed_fallback(async || Problem::NoSuchMethod)
            .layer(from_fn_with_state(self.clone(), part))
            .layer(from_fn(observe))
            .with_state(self.clone())
    }
}

/// How a user's account stands, in credits.
#[derive(Serialize)]
struct Credits<'a> {
    user: &'a str,
    balance: i64,
    /// For queries in flight.
    held: i64,
    available: i64,
}

type Ids<T> = Result<Path<T>, PathRejection>;

/// `POST /users/{user}/datasets/{dataset}/queries`
async fn ask(
    State(service): State<Service>,
    ids: Ids<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Answered, Problem> {
    let Path((user, dataset)) = ids.map_err(|_| InvalidId)?;
    let (user, dataset): (Id, Id) = (user.parse()?, dataset.parse()?);
    let request = key::request_of(&user, &headers)?;
    observe::asked(request);
    let query = Query::read(&read(body).await?)?;
    let resource = id::resource(&user, &dataset);
    let asked = Asked {
        request,
        user,
        dataset,
        resource,
        query,
    };
    service.answer(asked).await
}

/// `GET /users/{user}/credits`
async fn credits(State(service): State<Service>, ids: Ids<String>) -> Result<Response, Problem> {
    let Path(user) = ids.map_err(|_| InvalidId)?;
    let user: Id = user.parse()?;
    let account = id::account(&user).map_err(Problem::internal)?;
    let standing = deadline::step(async {
        let standing = service.0.ledger.standing(&account).await;
        standing.map_err(|error| Problem::from(error).without_a_charge())
    });
    let standing = standing.await?.ok_or(Problem::NoAccount)?;
    let body = Credits {
        user: user.as_str(),
        balance: standing.balance,
        held: standing.held,
        available: standing.available(),
    };
    Ok(answer(
        serde_json::to_string(&body).expect("credits are text and numbers"),
    ))
}

impl IntoResponse for Answered {
    fn into_response(self) -> Response {
        let kind = match self.how {
            How::Now => "answered",
            How::Replayed => "replayed",
            How::Unfenced => "unfenced",
        };
        let mut response = answer(self.body);
        observe::answered(&mut response, kind);
        if self.how == How::Replayed {
            response
                .headers_mut()
                .insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

fn answer(body: String) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Balances are of the moment, and an answer that was paid for is nobody else's.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn read(body: Body) -> Result<Vec<u8>, Problem> {
    let read = tokio::time::timeout(BODY_WITHIN, to_bytes(body, QUERY_BYTES)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(error)) => Err(unread(error)),
        Err(_) => Err(Problem::TooSlow {
            within: BODY_WITHIN,
        }),
    }
}

/// An instance that is to stop answers once on each connection: a proxy in front must not keep any for the next customer.
async fn part(State(service): State<Service>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if service.phase() > Phase::Serving {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

/// Why a body was not read to its end.
fn unread(error: axum::Error) -> Problem {
    let cause = error.into_inner();
    match cause.is::<LengthLimitError>() {
        true => Problem::TooLarge { bytes: QUERY_BYTES },
        false => Problem::BrokenBody(cause),
    }
}
