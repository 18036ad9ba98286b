//! What is served: the page and the three files that it names. GET and HEAD alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use maud::Markup;
use tokio::time::timeout;

use super::asked::Asked;
use super::door::{Door, keep};
use super::{page, read};
use crate::database::Database;
use crate::error::Error;

/// How long Postgres may take; a page that takes longer says that it is away.
const ANSWERS_WITHIN: Duration = Duration::from_secs(4);
/// The style of pictures, and of what is around them.
const CSS: &str = concat!(
    include_str!("../picture/picture.css"),
    include_str!("page.css")
);
const AWAY: &str = "Postgres does not answer";

pub(super) fn router(database: Database, door: Door) -> Router {
    Router::new()
        .route("/", get(answer))
        .route(
            "/page.css",
            get(|| async { file("text/css; charset=utf-8", CSS) }),
        )
        .route(
            "/page.js",
            get(|| async { file("text/javascript; charset=utf-8", include_str!("page.js")) }),
        )
        .route(
            "/icon.svg",
            get(|| async { file("image/svg+xml", include_str!("icon.svg")) }),
        )
        .with_state(database)
        .layer(from_fn_with_state(door, keep))
}

fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], text)
}

async fn answer(
    State(database): State<Database>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let asked = Asked::read(query.as_deref().unwrap_or_default());
    if let Some(why) = &asked.wrong {
        return no_answer(StatusCode::BAD_REQUEST, &asked, "not a filter", why);
    }
    match timeout(ANSWERS_WITHIN, read::read(&database, &asked)).await {
        Ok(Ok(rows)) => unless_known(&asked, &page::content(&asked, &rows), &headers),
        Ok(Err(error @ (Error::Lost(_) | Error::Unreachable { .. }))) => {
            away(&asked, &error.to_string())
        }
        Ok(Err(error)) => no_answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            &asked,
            "no answer",
            &error.to_string(),
        ),
        Err(_) => away(&asked, AWAY),
    }
}

/// The page, or the word that it is the one that the browser has.
fn unless_known(asked: &Asked, content: &Markup, headers: &HeaderMap) -> Response {
    let mut digest = DefaultHasher::new();
    content.0.hash(&mut digest);
    let tag = format!("\"{:016x}\"", digest.finish());
    let known = headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    if known {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    let page = page::page(asked, content, &tag);
    ([(ETAG, tag)], Html(page.into_string())).into_response()
}

fn away(asked: &Asked, why: &str) -> Response {
    let page = no_answer(
        StatusCode::SERVICE_UNAVAILABLE,
        asked,
        AWAY,
        &format!("{why}. This page looks again by itself."),
    );
    ([(RETRY_AFTER, "1")], page).into_response()
}

fn no_answer(status: StatusCode, asked: &Asked, what: &str, why: &str) -> Response {
    (
        status,
        Html(page::no_answer(asked, what, why).into_string()),
    )
        .into_response()
}
