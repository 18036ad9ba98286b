//! The four lists: what is in them, in which order, and what each option leaves out.

use promises::{HOLD, hold, permit};
use serde_json::Value;

use crate::support::Stage;

fn column<'a>(rows: &'a [Value], name: &str) -> Vec<&'a str> {
    rows.iter()
        .map(|row| row[name].as_str().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn a_refused_write_says_whose_it_was_and_against_whom_and_how_often_it_came() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    let late = stage.come_late("r", &alice, 3).await;
    let rows = stage.rows(&["refusals"]).await;
    let [row] = &rows[..] else {
        panic!("one refused write: {rows:?}")
    };
    assert_eq!(
        (&row["reason"], &row["attempts"]),
        (&"stale".into(), &3.into())
    );
    assert_eq!(
        (&row["presented_fence"], &row["observed_fence"]),
        (&"1".into(), &"2".into())
    );
    assert_eq!(row["presented_holder"], late.late.holder().to_string());
    assert_eq!(
        row["observed_holder"],
        late.rightful.permit().holder().to_string()
    );
    let write = &row["write"];
    assert_eq!(
        (&write["account"], &write["amount"]),
        (&"alice".into(), &3.into())
    );
}

#[tokio::test]
async fn each_option_of_refusals_leaves_out_what_is_not_asked_for() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    let first = stage.come_late("a", &alice, 1).await;
    stage.come_late("b", &alice, 1).await;
    let mut session = stage.world.session().await;
    session.admit(&[&permit("c", 9)]).await.unwrap();

    let holder = first.late.holder().to_string();
    for (options, resources) in [
        (&[][..], &["c", "b", "a"][..]),
        (&["--limit", "2"], &["c", "b"]),
        (&["--reason", "stale"], &["b", "a"]),
        (&["--reason", "not-open"], &["c"]),
        (&["--reason", "closed"], &[]),
        (&["--resource", "b"], &["b"]),
        (&["--holder", &holder], &["a"]),
        (&["--since", "1h"], &["c", "b", "a"]),
        (&["--since", "2999-01-01T00:00:00Z"], &[]),
    ] {
        let rows = stage.rows(&[&["refusals"], options].concat()).await;
        assert_eq!(column(&rows, "resource"), resources, "{options:?}");
    }
}

#[tokio::test]
async fn a_full_page_names_the_next_and_pages_lack_and_repeat_nothing() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c", "d", "e"] {
        stage.client.open(&permit(name, 1)).await;
    }
    let mut read = Vec::new();
    let mut before = None::<String>;
    loop {
        let mut arguments = vec!["openings", "--limit", "2", "--format", "csv"];
        if let Some(before) = &before {
            arguments.extend(["--before", before]);
        }
        let answer = stage.ask(&arguments).await;
        let records = answer.stdout.lines().skip(1);
        read.extend(records.filter_map(|line| Some(line.split(',').nth(2)?.to_owned())));
        let Some((_, next)) = answer.stderr.split_once("--before ") else {
            break;
        };
        before = Some(next.trim().to_owned());
    }
    assert_eq!(read, ["e", "d", "c", "b", "a"]);
}

#[tokio::test]
async fn openings_entries_and_holds_are_listed_by_whose_they_are() {
    let stage = Stage::new().await;
    let (alice, bob) = (
        stage.world.account("alice", 10).await,
        stage.world.account("bob", 5).await,
    );
    let open = stage.client.open(&permit("r", 1)).await;
    stage
        .client
        .charge(&open, &promises::charge(&alice, 4))
        .await;
    stage.client.hold(&open, &hold(&bob, 2)).await;
    stage.client.guard.close(&open, -7).await.unwrap();
    let again = stage
        .client
        .guard
        .open(&permit("r", 2), HOLD)
        .await
        .unwrap();

    let entries = stage.rows(&["entries", "--account", "alice"]).await;
    assert_eq!(column(&entries, "operation"), ["charge", "grant"]);
    assert_eq!(
        (&entries[0]["change"], &entries[0]["balance_after"]),
        (&(-4).into(), &6.into())
    );
    assert_eq!(stage.rows(&["entries", "--resource", "r"]).await.len(), 1);
    let holds = stage.rows(&["holds", "--state", "open"]).await;
    assert_eq!(column(&holds, "account"), ["bob"]);
    assert!(
        stage
            .rows(&["holds", "--account", "alice"])
            .await
            .is_empty()
    );
    let holder = again.permit().holder().to_string();
    let openings = stage.rows(&["openings", "--holder", &holder]).await;
    assert_eq!(
        (openings.len(), &openings[0]["takeover"]),
        (1, &false.into())
    );
    let openings = stage.rows(&["openings", "--resource", "r"]).await;
    assert_eq!(
        (
            &openings[1]["closed_lease_left_ms"],
            &openings[1]["next_fence"]
        ),
        (&(-7).into(), &"2".into())
    );
}

#[tokio::test]
async fn an_option_that_means_nothing_here_is_bad_usage_and_named() {
    let url = "postgres://127.0.0.1:1/never_asked";
    for (arguments, named) in [
        (&["nonsense"][..], "nonsense"),
        (&["entries", "--reason", "stale"], "--reason"),
        (&["audit", "--limit", "3"], "--limit"),
        (&["stats", "--holder", "x"], "--holder"),
        (&["watch", "--limit", "3"], "--limit"),
        (&["resource"], "<NAME>"),
        (&["resource", "r", "--format", "csv"], "csv"),
        (&["refusals", "--limit", "0"], "--limit"),
        (&["refusals", "--since", "yesterday"], "RFC 3339"),
        (&["refusals", "--reason", "late"], "not-open"),
        (&["refusals", "--holder", "4f2a91c0"], "36 characters"),
        (&["refusals", "--resource", ""], "at least one byte"),
        (&["stats", "--by", "17"], "--by"),
        (&["stats", "--every", "0s"], "whole number"),
    ] {
        let answer = crate::support::ask(url, arguments).await;
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(
            answer.stdout.is_empty() && answer.stderr.contains(named),
            "{arguments:?}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn each_command_explains_itself_and_the_exit_status() {
    let whole = crate::support::ask("unused", &["--help"]).await;
    assert_eq!(whole.code, Some(0));
    for part in [
        "Exit status: 0 fine; 1",
        "Examples:",
        "default_transaction_read_only",
        "grant_reader",
    ] {
        assert!(whole.stdout.contains(part), "{part}");
    }
    for verb in ["refusals", "entries", "openings", "holds", "stats", "watch"] {
        let help = crate::support::ask("unused", &[verb, "--help"]).await;
        assert!(help.stdout.contains("Examples:"), "{verb}");
    }
}
