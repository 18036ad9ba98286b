//! Service B of the tests: a real axum server over TCP, that writes notes under permits from elsewhere.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::put;
use fence_guard::http::{FENCE_PERMIT, FencePermit, FencePermits, Problem, ProblemType};
use fence_guard::{Error, Fence, Guard, GuardedTx, Holder, OpenPermit, Permit, Resource};
use hyper::HeaderMap;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use promises::{HOLD, World, within};
use serde_json::Value;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::call;
use crate::support::headers_of;

/// A running service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServiceB {
    address: SocketAddr,
}

/// What it answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// A world with the service's table in it.
pub(crate) async fn world() -> World {
    let world = World::new().await;
    sqlx::raw_sql(include_str!("notes.sql"))
        .execute(world.pool())
        .await
        .unwrap();
    world
}

/// The notes of a resource.
pub(crate) async fn notes(world: &World, resource: &str) -> Vec<String> {
    sqlx::query_scalar("select note from note where resource = $1 order by note")
        .bind(resource)
        .fetch_all(world.pool())
        .await
        .unwrap()
}

impl ServiceB {
    /// Starts one that reaches Postgres through this guard.
    pub(crate) async fn start(guard: Guard) -> ServiceB {
        let router = Router::new()
            .route("/notes/{resource}", put(note))
            .route("/notes/{resource}/and/{other}", put(note_both))
            .route("/moves/{from}/{to}", put(move_notes))
            .route("/read/{resource}", put(read))
            .route("/reads/{resource}", put(read_several))
            .route("/openings/{resource}", put(open_next))
            .route("/openings/{resource}/under/{fence}", put(open))
            .with_state(guard);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        ServiceB { address }
    }

    /// Sends a note under an opening.
    pub(crate) async fn note(&self, open: &OpenPermit, note: &str) -> Answer {
        let path = format!("/notes/{}", open.permit().resource());
        self.put(&path, &headers_of(open), note).await
    }

    /// Sends anything.
    pub(crate) async fn put(&self, path: &str, headers: &HeaderMap, body: &str) -> Answer {
        let call = call::put(self.address, path, headers, body);
        let (head, body) = within("an answer of B", call).await.unwrap().into_parts();
        Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        }
    }

    /// Sends the header as these lines.
    pub(crate) async fn put_lines(&self, path: &str, lines: &[&str]) -> Answer {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FENCE_PERMIT, HeaderValue::from_str(line).unwrap());
        }
        self.put(path, &headers, "").await
    }
}

impl Answer {
    /// The members of the problem that it has to be, of this kind.
    ///
    /// # Panics
    /// When it is anything else, or is not what RFC 9457 says of one.
    pub(crate) fn must_be(&self, kind: ProblemType) -> Value {
        let problem: Value = serde_json::from_str(&self.body).expect(&self.body);
        assert_eq!(problem["type"], kind.uri(), "{}", self.body);
        assert_eq!(problem["title"], kind.title());
        assert_eq!(self.status, kind.status().as_u16(), "{}", self.body);
        assert_eq!(problem["status"], self.status);
        assert_eq!(self.headers[CONTENT_TYPE], "application/problem+json");
        assert_eq!(self.headers[CACHE_CONTROL], "no-store");
        problem
    }

    /// That nothing of it names one of these holders.
    pub(crate) fn assert_names_none_of(&self, holders: &[Holder]) {
        let all = format!("{:?} {}", self.headers, self.body).to_lowercase();
        for holder in holders {
            assert!(!all.contains(&holder.to_string()), "{all}");
        }
    }
}

async fn insert(tx: &mut GuardedTx, resource: &Resource, note: &str) -> Result<(), sqlx::Error> {
    sqlx::query("insert into note values ($1, $2)")
        .bind(resource.as_str())
        .bind(note)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn note(
    State(guard): State<Guard>,
    Path(resource): Path<Resource>,
    permit: FencePermit,
    note: String,
) -> Result<(), Problem> {
    let open = permit.open_for(&resource)?;
    let mut tx = guard.begin(open, "note", Uuid::nil(), HOLD).await?;
    insert(&mut tx, &resource, &note).await?;
    Ok(tx.commit().await?)
}

/// A mistake of the service: the permit is of one resource, and it writes a row of another one as well.
async fn note_both(
    State(guard): State<Guard>,
    Path((resource, other)): Path<(Resource, Resource)>,
    permit: FencePermit,
    note: String,
) -> Result<(), Problem> {
    let open = permit.open_for(&resource)?;
    let mut tx = guard.begin(open, "note", Uuid::nil(), HOLD).await?;
    insert(&mut tx, &resource, &note).await?;
    insert(&mut tx, &other, &note).await?;
    Ok(tx.commit().await?)
}

/// Concerns two resources, and is admitted for both.
async fn move_notes(
    State(guard): State<Guard>,
    Path((from, to)): Path<(Resource, Resource)>,
    permits: FencePermits,
) -> Result<(), Problem> {
    let opens = permits.opens_for(&[&from, &to])?;
    let mut tx = guard.begin_all(&opens, "move", Uuid::nil(), HOLD).await?;
    sqlx::query("update note set resource = $2 where resource = $1")
        .bind(from.as_str())
        .bind(to.as_str())
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

/// Serves everybody, and says whether somebody came with a permit.
async fn read(permit: Option<FencePermit>) -> String {
    permit.map_or_else(|| "anybody".to_owned(), |permit| permit.fence().to_string())
}

/// The same for several permits.
async fn read_several(permits: Option<FencePermits>) -> String {
    permits.map_or_else(
        || "anybody".to_owned(),
        |permits| permits.resources().count().to_string(),
    )
}

/// Opens for itself, without a lease.
async fn open_next(
    State(guard): State<Guard>,
    Path(resource): Path<Resource>,
) -> Result<String, Error> {
    let open = guard.open_next(&resource, Holder::random(), HOLD).await?;
    Ok(open.permit().fence().to_string())
}

/// Opens for itself, under a fence from a lease of its own.
async fn open(
    State(guard): State<Guard>,
    Path((resource, fence)): Path<(Resource, Fence)>,
) -> Result<(), Error> {
    let permit = Permit::new(resource, fence, Holder::random());
    guard.open(&permit, HOLD).await?;
    Ok(())
}
