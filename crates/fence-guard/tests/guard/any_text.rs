//! Names and admission lines in SQL, with texts that nobody would think of: a thousand of each in one query, since
//! a round trip for each would take most of the time. The texts differ from run to run, as a proptest's do.

use fence_guard::Resource;
use promises::World;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

const TEXTS: usize = 1_000;

/// So many values of a strategy.
fn some<S: Strategy>(strategy: &S) -> Vec<S::Value> {
    let mut runner = TestRunner::default();
    let mut one = || strategy.new_tree(&mut runner).expect("a value").current();
    (0..TEXTS).map(|_| one()).collect()
}

/// Any text that Postgres takes, with control characters in some; of any length around the longest name.
fn any_text() -> impl Strategy<Value = String> {
    let control =
        prop::sample::select(vec!['\n', '\u{1f}', '\u{7f}', '\u{80}', '\u{9f}', '\u{a0}']);
    let one = prop_oneof![40 => any::<char>(), 1 => control].prop_filter("NUL", |c| *c != '\0');
    let short = prop::collection::vec(one.clone(), 0..12);
    let long = prop::collection::vec(one, 120..240);
    prop_oneof![2 => short, 1 => long].prop_map(String::from_iter)
}

/// A line as `fence.admission` writes it, or something that is almost one.
fn almost_a_line() -> impl Strategy<Value = String> {
    let fence = prop_oneof![
        6 => (1..1_u64 << 62).prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["0", "07", "-7", "", "4611686018427387904", "9999999999999999999"])
            .prop_map(String::from),
    ];
    let holder = any::<u128>().prop_map(|bits| Uuid::from_u128(bits).to_string());
    let holder = prop_oneof![
        6 => holder.clone(),
        1 => holder.clone().prop_map(|text| text[..8].to_uppercase() + &text[8..]),
        1 => holder.prop_map(|text| text.replace('-', "")),
    ];
    let space = prop_oneof![8 => Just(" "), 1 => Just("  "), 1 => Just("")];
    let line = (fence, space, holder, any_text())
        .prop_map(|(fence, space, holder, name)| format!("{fence}{space}{holder} {name}"));
    prop_oneof![8 => line, 1 => any_text()]
}

#[tokio::test]
async fn what_code_takes_as_a_name_sql_takes_and_nothing_else() {
    let world = World::new().await;
    let texts = some(&any_text());
    let taken: Vec<bool> = sqlx::query_scalar(
        "select fence.is_name(t, 1, 512) from unnest($1::text[]) with ordinality u (t, n) order by n",
    )
    .bind(&texts)
    .fetch_all(world.pool())
    .await
    .unwrap();
    for (text, taken) in texts.iter().zip(taken) {
        assert_eq!(Resource::new(text).is_ok(), taken, "{text:?}");
    }
}

#[tokio::test]
async fn every_permit_comes_out_of_an_admission_line_as_it_went_in() {
    let world = World::new().await;
    let any_permit = (any_text(), 1..1_i64 << 62, any::<u128>());
    let permits =
        some(&any_permit.prop_filter("no name", |(name, ..)| Resource::new(name).is_ok()));
    let lost: Vec<String> = sqlx::query_scalar(
        "select p.resource
         from unnest($1::text[], $2::bigint[], $3::uuid[]) p (resource, fence, holder),
              fence.carried(fence.admission(p.resource, p.fence, p.holder)) c
         where (c.resource, c.fence, c.holder) is distinct from (p.resource, p.fence, p.holder)",
    )
    .bind(Vec::from_iter(
        permits.iter().map(|(name, ..)| name.clone()),
    ))
    .bind(Vec::from_iter(permits.iter().map(|(_, fence, _)| *fence)))
    .bind(Vec::from_iter(
        permits.iter().map(|(.., bits)| Uuid::from_u128(*bits)),
    ))
    .fetch_all(world.pool())
    .await
    .unwrap();
    assert_eq!(lost, Vec::<String>::new());
}

/// A setting can be forged, so anything may stand there: it is no permit or it is written exactly so, and it never
/// raises.
#[tokio::test]
async fn only_what_an_admission_writes_is_read_as_a_permit() {
    let world = World::new().await;
    let lines = some(&almost_a_line());
    let read: Vec<(String, String)> = sqlx::query_as(
        "select t, fence.admission(c.resource, c.fence, c.holder)
         from unnest($1::text[]) t, fence.carried(t) c where c.fence is not null",
    )
    .bind(&lines)
    .fetch_all(world.pool())
    .await
    .unwrap();
    assert!(!read.is_empty(), "no line was read at all");
    for (line, written) in read {
        assert_eq!(line, written);
    }
}
