//! What is said where there is no answer, and what the exit status then is.

use std::process::Stdio;

use promises::{permit, within};
use tokio::io::{AsyncReadExt, BufReader};

use crate::support::{Stage, ask, ledger};

/// Less than what a pool would try again for.
const AT_ONCE: std::time::Duration = std::time::Duration::from_secs(4);

#[tokio::test]
async fn without_a_server_it_could_not_ask_says_so_at_once_and_never_shows_a_password() {
    for url in [
        "postgres://user:s3cret@127.0.0.1:1/none",
        "postgres//user:s3cret@h",
        "mysql://user:s3cret@127.0.0.1/x",
    ] {
        let begun = std::time::Instant::now();
        let answer = ask(url, &["refusals"]).await;
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
        assert_eq!(answer.code, Some(3), "{answer:?}");
        assert!(
            answer.stderr.contains("is DATABASE_URL right"),
            "{answer:?}"
        );
        assert!(
            !answer.stderr.contains("s3cret") && answer.stdout.is_empty(),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn a_database_without_the_schemas_is_named() {
    let empty = testbed::database("a database without the schemas").await;
    let answer = ask(empty.url(), &["refusals"]).await;
    assert_eq!(answer.code, Some(3));
    assert!(answer.stderr.contains("has no schema fence"), "{answer:?}");

    let pool = sqlx::PgPool::connect(empty.url()).await.unwrap();
    fence_guard::install(&pool, &[fence_guard::SCHEMA])
        .await
        .unwrap();
    for question in ["refusals", "openings", "stats", "audit"] {
        let answer = ask(empty.url(), &[question]).await;
        assert_eq!(
            answer.code,
            Some(0),
            "the guard alone answers {question}: {answer:?}"
        );
    }
    assert_eq!(ask(empty.url(), &["resource", "r"]).await.code, Some(0));
    for question in [&["entries"][..], &["holds"], &["account", "alice"]] {
        let answer = ask(empty.url(), question).await;
        assert_eq!(answer.code, Some(3));
        assert!(answer.stderr.contains("has no schema credit"), "{answer:?}");
    }
}

#[tokio::test]
async fn an_account_that_is_not_there_is_said_to_be_none() {
    let stage = Stage::new().await;
    let answer = stage.ask(&["account", "no\u{202e}body"]).await;
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.stderr.contains(r#"no account "no\u{202e}body""#),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let stage = Stage::new().await;
    for fence in 1..=400 {
        stage.client.open(&permit("r", fence)).await;
    }
    let mut command = ledger(stage.url());
    let command = command.args(["openings", "--limit", "400", "--format", "json"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds is to come; nobody reads on after the first byte.
    let mut stdout = child.stdout.take().unwrap();
    within("a first byte", stdout.read_u8()).await.unwrap();
    drop(stdout);
    let status = within("the end", child.wait()).await.unwrap();
    let mut errors = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_to_string(&mut errors)
        .await
        .unwrap();
    assert_eq!(status.code(), Some(0), "{errors}");
    assert!(
        !errors.contains("panicked") && !errors.to_lowercase().contains("pipe"),
        "{errors}"
    );
}
