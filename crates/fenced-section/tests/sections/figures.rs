//! What is counted, for the summary and for a recorder of the service.

use std::collections::BTreeMap;

use fenced_section::EnterError;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

use crate::support::{Bench, LONG, for_ms, resource, within};

#[tokio::test]
async fn the_summary_and_the_recorder_tell_the_same_and_no_label_names_a_resource() {
    let recorder = DebuggingRecorder::new();
    let seen = recorder.snapshotter();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let bench = Bench::new("figures").await;
    let r = resource("secret-resource");

    let late = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    within(late.lost()).await;
    bench.until_free(&r).await;
    let section = bench.enter(&r).await;
    assert!(late.leave().await.overrun);
    assert!(section.leave().await.is_clean());
    bench.set_counter(&r, 1).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    let minted = bench.sections.enter_from_guard(&r, &LONG).await.unwrap();
    let busy = bench.sections.enter_from_guard(&r, &LONG).await;
    assert!(matches!(busy, Err(EnterError::Busy { .. })));
    assert!(minted.leave().await.is_clean());
    assert_eq!(bench.sections.run_unfenced(async { 7 }).await, 7);

    let summary = bench.sections.summary();
    assert_eq!((summary.entered, summary.left), (4, 4));
    assert_eq!((summary.overruns, summary.takeovers), (1, 1));
    assert_eq!((summary.refusals, summary.healed), (1, 1));
    assert_eq!((summary.unknown, summary.unfenced), (0, 1));
    let ratios = summary.hold.sections;
    assert_eq!(ratios.iter().sum::<u64>(), 4);
    assert_eq!(ratios[0], 3, "{ratios:?}");

    let expected = BTreeMap::from([
        ("fenced_section.entered by=lease".to_owned(), 3),
        ("fenced_section.entered by=guard".to_owned(), 1),
        ("fenced_section.left".to_owned(), 4),
        ("fenced_section.overruns".to_owned(), 1),
        ("fenced_section.takeovers".to_owned(), 1),
        ("fenced_section.refusals reason=stale".to_owned(), 1),
        ("fenced_section.healed".to_owned(), 1),
        ("fenced_section.unfenced".to_owned(), 1),
        ("fenced_section.hold_ratio".to_owned(), 4),
    ]);
    assert_eq!(recorded(&seen), expected);
}

/// Every figure of this crate by name and labels: a counter's value, or how often a ratio was recorded.
fn recorded(seen: &metrics_util::debugging::Snapshotter) -> BTreeMap<String, u64> {
    let snapshot = seen.snapshot().into_vec();
    let ours = snapshot
        .into_iter()
        .filter(|(key, ..)| key.key().name().starts_with("fenced_section."));
    ours.map(|(key, _, _, value)| {
        let labels = key.key().labels();
        let labels = labels.map(|label| format!(" {}={}", label.key(), label.value()));
        let name = key.key().name().to_owned() + &labels.collect::<String>();
        match value {
            DebugValue::Counter(count) => (name, count),
            DebugValue::Histogram(values) => (name, values.len() as u64),
            DebugValue::Gauge(_) => panic!("{name} is a gauge"),
        }
    })
    .collect()
}
