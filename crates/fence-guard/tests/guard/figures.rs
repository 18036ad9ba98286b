//! The figures in numbers: quantiles over sections whose times are planted, and which of them have outlived their lease.

use std::time::Duration;

use fence_guard::{FiguresOf, FiguresRow, Guard};
use promises::{HOLD, MustRefuse, World, permit};
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

/// November 2026, in one stretch, all names together.
fn november() -> FiguresOf {
    let since = OffsetDateTime::from_unix_timestamp(1_793_491_200).unwrap();
    FiguresOf {
        since,
        until: since + Duration::from_secs(30 * 86_400),
        depth: 0,
        every: None,
        limit: 1000,
    }
}

#[track_caller]
fn of<'a>(rows: &'a [FiguresRow], prefix: &str) -> &'a FiguresRow {
    let row = rows.iter().find(|row| row.prefix == prefix);
    row.unwrap_or_else(|| panic!("no {prefix:?} in {rows:#?}"))
}

/// A hundred sections of `user:` in time, and one of `job:` that took ten times what it had.
#[tokio::test]
async fn quantiles_are_of_the_part_of_its_time_that_a_section_was_held() {
    let world = World::new().await;
    let planted = sqlx::raw_sql(include_str!("sql/sections.sql"));
    planted.execute(world.pool()).await.unwrap();
    let guard = Guard::new(world.pool().clone());

    let by_kind = FiguresOf {
        depth: 1,
        ..november()
    };
    let rows = guard.figures(by_kind).await.unwrap();
    let user = of(&rows, "user:");
    assert_eq!((user.sections, user.overruns), (100, 0));
    let held = [user.held_p50, user.held_p90, user.held_p99, user.held_worst];
    assert_eq!(held, [Some(0.5), Some(0.9), Some(0.99), Some(1.0)]);
    let job = of(&rows, "job:");
    assert_eq!(
        (job.sections, job.overruns, job.held_worst),
        (1, 1, Some(10.0))
    );

    let all = guard.figures(november()).await.unwrap();
    assert_eq!((of(&all, "").sections, of(&all, "").overruns), (101, 1));
    let whole = FiguresOf {
        depth: 9,
        ..november()
    };
    let rows = guard.figures(whole).await.unwrap();
    assert_eq!(of(&rows, "user:7:report").held_worst, Some(0.07));
    let few = FiguresOf { limit: 3, ..whole };
    assert_eq!(
        (rows.len(), guard.figures(few).await.unwrap().len()),
        (101, 3)
    );
}

#[tokio::test]
async fn stretches_begin_at_the_beginning_of_the_time_and_its_end_is_not_in_it() {
    let world = World::new().await;
    let planted = sqlx::raw_sql(include_str!("sql/sections.sql"));
    planted.execute(world.pool()).await.unwrap();
    let from = |minute: u32| november().since + minute * Duration::from_secs(60);
    let tens = FiguresOf {
        since: from(1),
        until: from(31),
        every: Some(Duration::from_secs(600)),
        ..november()
    };
    let rows = Guard::new(world.pool().clone())
        .figures(tens)
        .await
        .unwrap();
    let told: Vec<_> = rows.iter().map(|row| (row.since, row.sections)).collect();
    assert_eq!(told, [(from(21), 10), (from(11), 10), (from(1), 10)]);
}

/// It was refused as stale, for another had opened since; but it had left long before.
#[tokio::test]
async fn who_closed_in_time_and_sends_a_write_again_later_has_outlived_nothing() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    client.close(&open).await;
    client.open(&permit("r", 2)).await;
    let begun = client.guard.begin(&open, "query", Uuid::nil(), HOLD).await;
    begun.must_refuse();
    let now = OffsetDateTime::now_utc();
    let lately = FiguresOf {
        since: now - Duration::from_secs(3600),
        until: now + Duration::from_secs(3600),
        ..november()
    };
    let rows = client.guard.figures(lately).await.unwrap();
    let row = of(&rows, "");
    assert_eq!((row.sections, row.overruns, row.stale), (2, 0, 1));
}
