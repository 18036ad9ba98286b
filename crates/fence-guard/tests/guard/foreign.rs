//! A newer version of the functions may answer what this crate does not know: that is told as it is,
//! and never taken for success or for a refusal.

use fence_guard::{Error, Guard, StoreError};
use promises::{HOLD, World, permit, resource};
use sqlx::SqlSafeStr;

/// A world whose function is another one.
async fn replace(world: &World, function: impl SqlSafeStr) {
    sqlx::raw_sql(function).execute(world.pool()).await.unwrap();
}

/// What the guard was answered with, and did not understand.
fn foreign<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Store(StoreError::Foreign { what })) => what,
        other => panic!("the answer had to be foreign, it was taken for {other:?}"),
    }
}

#[tokio::test]
async fn a_word_that_this_version_does_not_know_is_foreign_to_open_begin_and_close() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    replace(&world, include_str!("texts/other_words.sql")).await;

    let opened = client.guard.open(&permit("r", 2), HOLD).await;
    assert_eq!(foreign(opened), r#""deferred""#);
    let begun = client
        .guard
        .begin(&open, "query", uuid::Uuid::nil(), HOLD)
        .await;
    assert_eq!(foreign(begun), r#""deferred""#);
    let closed = client.guard.close(&open, 1).await;
    assert_eq!(foreign(closed), r#""deferred""#);
    // The connection was left in order: its next call is one of its own.
    assert_eq!(world.mark("r").await, 1);
    assert_eq!(client.guard.mark(&resource("r")).await.unwrap().get(), 1);
}

#[tokio::test]
async fn a_mark_outside_the_range_is_foreign() {
    let world = World::new().await;
    for mark in ["-1", "4611686018427387904", "9223372036854775807"] {
        let function = include_str!("texts/mark_answers_seven.sql").replace("7::bigint", mark);
        replace(&world, sqlx::AssertSqlSafe(function)).await;
        let guard = Guard::new(world.pool().clone());
        let answer = guard.mark(&resource("r")).await;
        assert!(
            matches!(&answer, Err(StoreError::Foreign { what }) if what.contains(mark)),
            "{answer:?}"
        );
    }
}
