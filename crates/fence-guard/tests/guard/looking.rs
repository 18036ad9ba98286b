//! Looking at what the guard has recorded: pages from either end, filters, how an opening ended, figures; and who may.

use std::time::Duration;

use fence_guard::{FiguresOf, FiguresRow, Filter, Guard, OpeningRow, Page, Reason, Retention};
use promises::{Client, HOLD, MustRefuse, World, permit, resource, sqlstate};
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

fn fences(rows: &[OpeningRow]) -> Vec<i64> {
    rows.iter().map(|row| row.fence).collect()
}

/// Is refused under a permit that was opened and overtaken, so often.
async fn come_late(client: &Client, name: &str, attempts: u32) {
    let late = client.open(&permit(name, 1)).await;
    client.open(&permit(name, 2)).await;
    for _ in 0..attempts {
        let begun = client.guard.begin(&late, "query", Uuid::nil(), HOLD).await;
        begun.must_refuse();
    }
}

#[tokio::test]
async fn pages_read_on_from_either_end_and_lack_and_repeat_nothing() {
    let world = World::new().await;
    let client = world.client().await;
    for fence in 1..=7 {
        client.open(&permit("r", fence)).await;
        client.open(&permit("beside r", fence)).await;
    }
    let of_r = Filter::from(&resource("r"));
    for filter in [of_r, Filter::all()] {
        let all = client.guard.openings(filter.clone(), 0, 100).await.unwrap();
        let all: Vec<i64> = all.iter().map(|row| row.seq).collect();
        for (mut page, newest_first) in [(Page::After(0), false), (Page::NEWEST, true)] {
            let mut read = Vec::new();
            loop {
                let rows = client.guard.openings(filter.clone(), page, 3).await;
                let rows = rows.unwrap();
                let Some(last) = rows.last() else { break };
                page = match page {
                    Page::After(_) => Page::After(last.seq),
                    Page::Before(_) => Page::Before(last.seq),
                };
                read.extend(rows.iter().map(|row| row.seq));
            }
            if newest_first {
                read.reverse();
            }
            assert_eq!(read, all);
        }
    }
}

#[tokio::test]
async fn each_filter_leaves_out_what_is_not_asked_for() {
    let world = World::new().await;
    let client = world.client().await;
    let (mine, other) = (permit("r", 1), permit("beside r", 1));
    client.open(&mine).await;
    client.open(&other).await;
    for (permit, fence) in [(&mine, 2), (&other, 2)] {
        let never_opened = permit_above(permit, fence);
        let mut session = world.session().await;
        session.admit(&[&never_opened]).await.unwrap();
    }
    let guard = &client.guard;
    let by = guard.openings(Filter::all().by(mine.holder()), 0, 9).await;
    assert_eq!(by.unwrap()[0].resource, "r");

    let now: OffsetDateTime = sqlx::query_scalar("select clock_timestamp()")
        .fetch_one(world.pool())
        .await
        .unwrap();
    client.open(&permit("later", 1)).await;
    let since = guard.openings(Filter::all().since(now), Page::NEWEST, 9);
    let since = since.await.unwrap();
    assert_eq!((since.len(), since[0].resource.as_str()), (1, "later"));
    for (filter, rows) in [
        (Filter::all(), 2),
        (Filter::from(&resource("r")), 1),
        (Filter::all().by(mine.holder()), 1),
        (Filter::all().refused_for(Reason::NotOpen), 2),
        (Filter::all().refused_for(Reason::Stale), 0),
        (Filter::all().since(now), 0),
        (Filter::all().since(OffsetDateTime::UNIX_EPOCH), 2),
    ] {
        for page in [Page::After(0), Page::NEWEST] {
            let found = guard.refusals(filter.clone(), page, 9).await.unwrap();
            assert_eq!(found.len(), rows, "{filter:?}");
        }
    }
}

/// A page is found by its number, whether or not the row that had it is still there.
#[tokio::test]
async fn a_page_goes_on_behind_a_row_that_was_pruned_meanwhile_or_is_of_another_resource() {
    let world = World::new().await;
    let client = world.client().await;
    for fence in [1, 5, 1 << 40, (1 << 62) - 1] {
        client.open(&permit("r", fence)).await;
        client.open(&permit("beside r", fence)).await;
    }
    let guard = &client.guard;
    let all = guard.openings(&resource("r"), 0, 9).await.unwrap();
    let beside = guard.openings(&resource("beside r"), 0, 9).await.unwrap();
    for after in 0..=all[3].seq + 2 {
        let above = guard.openings(&resource("r"), after, 9).await.unwrap();
        let expected = all
            .iter()
            .filter(|row| row.seq > after)
            .map(|row| row.fence);
        assert_eq!(fences(&above), Vec::from_iter(expected), "after {after}");
        let below = guard.openings(&resource("r"), Page::Before(after), 9).await;
        let expected = all.iter().rev().filter(|row| row.seq < after);
        assert_eq!(
            fences(&below.unwrap()),
            Vec::from_iter(expected.map(|row| row.fence)),
            "before {after}"
        );
    }
    assert_eq!(fences(&beside), fences(&all));
}

/// The same holder under a higher fence, which nobody has opened.
fn permit_above(of: &fence_guard::Permit, fence: u64) -> fence_guard::Permit {
    let fence = fence_guard::Fence::new(fence).unwrap();
    fence_guard::Permit::new(of.resource().clone(), fence, of.holder())
}

#[tokio::test]
async fn an_opening_says_how_it_ended_also_after_its_mark_was_folded() {
    let world = World::new().await;
    let client = world.client().await;
    client.open(&permit("r", 1)).await;
    let second = client.open(&permit("r", 2)).await;
    client.guard.close(&second, -7).await.unwrap();
    let third = client.open(&permit("r", 3)).await;

    let rows = client.guard.openings(&resource("r"), 0, 9).await.unwrap();
    assert_eq!(fences(&rows), [1, 2, 3]);
    let [taken_over, closed, open] = &rows[..] else {
        unreachable!("there are three")
    };
    assert_eq!(
        (taken_over.closed_seq, taken_over.next_fence),
        (None, Some(2))
    );
    assert_eq!(taken_over.ended_at(), Some(closed.at));
    assert_eq!(closed.closed_lease_left_ms, Some(-7));
    assert!(closed.is_closed_late() && !taken_over.is_closed_late());
    assert_eq!((open.ended_at(), open.next_fence), (None, None));

    client.guard.close(&third, 1).await.unwrap();
    Retention::new(world.pool().clone())
        .fold(Duration::ZERO)
        .await
        .unwrap();
    let rows = client.guard.openings(&resource("r"), 0, 9).await.unwrap();
    assert_eq!(rows[2].closed_lease_left_ms, Some(1));
    assert!(rows[2].folded_at.is_some() && !rows[2].is_closed_late());
}

/// All figures of a world by prefixes of one part.
async fn figures(guard: &Guard) -> Vec<FiguresRow> {
    let rows = guard.figures(FiguresOf {
        since: OffsetDateTime::now_utc() - Duration::from_secs(3600),
        until: OffsetDateTime::now_utc() + Duration::from_secs(3600),
        depth: 1,
        every: None,
        limit: 10,
    });
    rows.await.unwrap()
}

#[tokio::test]
async fn the_figures_count_sections_overruns_and_what_was_refused_by_prefix() {
    let world = World::new().await;
    let client = world.client().await;
    // In time; after its lease; overtaken and given up; overtaken and late; and one that is open.
    let in_time = client.open(&permit("a:1", 1)).await;
    client.guard.close(&in_time, 5).await.unwrap();
    let late = client.open(&permit("a:2", 1)).await;
    client.guard.close(&late, -1).await.unwrap();
    client.open(&permit("a:3", 1)).await;
    client.open(&permit("a:3", 2)).await;
    come_late(&client, "b:1", 3).await;
    let mut session = world.session().await;
    session.admit(&[&permit("b:none", 9)]).await.unwrap();

    let rows = figures(&client.guard).await;
    let [a, b] = &rows[..] else {
        panic!("two prefixes: {rows:?}")
    };
    assert_eq!((a.prefix.as_str(), b.prefix.as_str()), ("a:", "b:"));
    assert_eq!(
        (a.sections, a.still_open, a.overruns, a.takeovers),
        (4, 1, 1, 1)
    );
    assert_eq!(
        (b.sections, b.still_open, b.overruns, b.takeovers),
        (2, 1, 1, 1)
    );
    assert_eq!((b.stale, b.stale_attempts, b.not_open), (1, 3, 1));
    assert_eq!((a.stale, a.conflict, a.closed), (0, 0, 0));
    // Each was to hold for two minutes, and held for next to nothing; of one in b:, the end is known by its attempt.
    for held in [a.held_p50, a.held_worst, b.held_p99] {
        assert!(
            held.is_some_and(|part| part > 0.0 && part < 0.5),
            "{rows:?}"
        );
    }
}

#[tokio::test]
async fn a_prefix_has_as_many_parts_as_are_asked_for_and_a_shorter_name_is_itself() {
    let world = World::new().await;
    for (name, depth, prefix) in [
        ("user:7:dataset:42", 0, ""),
        ("user:7:dataset:42", 1, "user:"),
        ("user:7:dataset:42", 2, "user:7:"),
        ("user:7", 2, "user:7"),
        ("user", 1, "user"),
        (":x", 1, ":"),
        ("a::b", 2, "a::"),
        ("é%3A:b", 1, "é%3A:"),
    ] {
        let query = sqlx::query_scalar::<_, String>("select fence.prefix($1, $2)");
        let answer = query.bind(name).bind(depth).fetch_one(world.pool()).await;
        assert_eq!(answer.unwrap(), prefix, "{name} {depth}");
    }
}

#[tokio::test]
async fn figures_of_a_stretch_are_of_that_stretch_alone() {
    let world = World::new().await;
    let client = world.client().await;
    come_late(&client, "r", 1).await;
    let now = OffsetDateTime::now_utc();
    let of = |since, until, every| FiguresOf {
        since,
        until,
        depth: 0,
        every,
        limit: 10,
    };
    let hour = Duration::from_secs(3600);
    let before = client.guard.figures(of(now - hour * 2, now - hour, None));
    assert_eq!(before.await.unwrap(), []);
    let minute = Some(Duration::from_secs(60));
    let rows = client.guard.figures(of(now - hour, now + hour, minute));
    let rows = rows.await.unwrap();
    let sections: i64 = rows.iter().map(|row| row.sections).sum();
    assert!(rows.len() <= 2 && sections == 2, "{rows:?}");
    let wrong = client.guard.figures(of(now, now, None)).await;
    assert!(wrong.is_err());
}

#[tokio::test]
async fn nothing_that_only_looks_writes_also_where_its_transaction_would_let_it() {
    let world = World::new().await;
    let mut session = world.session().await;
    session.run("begin transaction read only").await;
    for call in [
        "select * from fence.openings(null, 0, null)",
        "select * from fence.refusals(null, 0, null)",
        "select * from fence.stats('2000-01-01', '2100-01-01')",
        "select * from fence.horizon()",
        "select * from fence.versions()",
        "select * from fence.bypass()",
        "select * from fence.audit()",
    ] {
        session.run(call).await;
    }
    let open = "select fence.open('r', 1, gen_random_uuid(), '1 s')";
    assert_eq!(sqlstate(session.attempt(open).await), "25006");
}
