//! Who can pay, and who cannot.

use std::process::{Command, Output};

use testbed::Proxy;
use tokio::task::spawn_blocking;

use crate::call::{Answer, Ask};
use crate::held::Held;
use crate::stage::{
    BALANCE, LONG, QUERY, Stage, account, answer_of, ask, ask_until_answered, asking, got, program,
    query, within,
};

#[tokio::test(flavor = "multi_thread")]
async fn without_credits_a_query_is_not_run_and_the_key_can_be_used_after_a_payment() {
    let stage = Stage::new("no_credit").await;
    let instance = stage.instance(&[&LONG, &[("PRICE", "11")]]).await;
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!(answer.status, 402, "{answer:?}");
    let problem = answer.json();
    assert_eq!(problem["type"], "tag:dataset-service,2026:no-credit");
    for (name, credits) in [("available", 10), ("held", 0), ("price", 11)] {
        assert_eq!(problem[name], credits, "{name}");
    }
    assert_eq!(answer.retry_after(), None);
    stage.assert_charged(0).await;

    stage.grant("7", 1).await;
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!(
        (answer.status, answer.json()["balance"].as_i64()),
        (200, Some(0))
    );
}

/// None of the queries has ended when the others come, so only what was set aside before can turn them away.
#[tokio::test(flavor = "multi_thread")]
async fn c40_of_queries_at_once_only_those_that_are_covered_are_answered() {
    let stage = Stage::new("c40").await;
    let held = Held::start(&stage, &[&LONG[..], &[("PRICE", "4")]].concat()).await;
    held.datasets.hold_requests();
    let covered =
        ["0", "1"].map(|n| asking(&held.instance, &query(&format!("d{n}"), &format!("k-{n}"))));
    let set_aside = async { while stage.standing().await.held != 8 {} };
    within("two prices that are set aside", set_aside).await;
    for n in 2..6 {
        let answer = ask(&held.instance, &query(&format!("d{n}"), &format!("k-{n}"))).await;
        assert_eq!(answer.status, 402, "{answer:?}");
        assert_eq!(answer.json()["available"], 2);
        assert_held_up(&answer, 8);
    }
    held.datasets.pass();
    for covered in covered {
        assert_eq!(answer_of(covered).await.status, 200);
    }
    let standing = stage.standing().await;
    assert_eq!((standing.balance, standing.held), (2, 0));
}

/// That credits are there, and only held: then time helps, and a payment is not asked for.
fn assert_held_up(answer: &Answer, held: i64) {
    let problem = answer.json();
    assert_eq!(problem["held"], held);
    let detail = problem["detail"].as_str().unwrap();
    let held_up = format!("{held} more are held for queries in flight; retry shortly");
    assert!(detail.ends_with(&held_up), "{detail}");
    assert_eq!(answer.retry_after().map(|after| after.as_secs()), Some(1));
}

/// What an instance has held that was killed is in the way until it expires, and is no reason to buy credits.
#[tokio::test(flavor = "multi_thread")]
async fn credits_that_a_dead_instance_holds_are_said_to_be_held_and_a_floor_counts() {
    let stage = Stage::new("held_by_dead").await;
    let options = [("PRICE", "8"), ("QUERY_TAKES_MS", "1200")];
    let killed = Held::start(&stage, &[&LONG[..], &options].concat()).await;
    let other = stage.instance(&[&LONG, &options]).await;
    killed.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&killed.instance, &query("42", "k-1"));
    within("the slow query", killed.datasets.caught()).await;
    killed.instance.kill_nine().await.unwrap();
    assert!(in_flight.await.unwrap().is_err(), "nobody answers");

    let answer = ask(&other, &query("43", "k-2")).await;
    assert_eq!(
        (answer.status, answer.json()["available"].as_i64()),
        (402, Some(2))
    );
    assert_held_up(&answer, 8);
    // With a credit line the price is covered, once.
    stage.ledger.set_floor(&account("7"), -6).await.unwrap();
    assert_eq!(ask(&other, &query("43", "k-2")).await.status, 200);
    let answer = ask(&other, &query("44", "k-3")).await;
    assert_eq!(
        (answer.status, answer.json()["available"].as_i64()),
        (402, Some(0))
    );
    // Balance 2, floor -6: the eight that are held would do. A query takes over a second here.
    assert_eq!(answer.retry_after().map(|after| after.as_secs()), Some(2));
    // A price that nothing would cover is a reason to buy credits.
    let dear = stage.instance(&[&LONG, &[("PRICE", "9")]]).await;
    let answer = ask(&dear, &query("44", "k-3")).await;
    assert_eq!((answer.status, answer.retry_after()), (402, None));
}

/// What a dead instance holds is free when it expires: whoever is told to come again, and does, is answered, and had no credits to buy.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_to_come_again_for_held_credits_is_answered_once_they_have_expired() {
    let stage = Stage::new("held_expires").await;
    let short = [
        ("TTL_MS", "1000"),
        ("QUERY_LIMIT_MS", "900"),
        ("HOLD_MS", "2000"),
        ("PRICE", "8"),
    ];
    let killed = Held::start(&stage, &short).await;
    let other = stage.instance(&[&short]).await;
    killed.datasets.hold_requests();
    let in_flight = asking(&killed.instance, &query("42", "k-1"));
    let set_aside = async { while stage.standing().await.held != 8 {} };
    within("a price that is set aside", set_aside).await;
    killed.instance.kill_nine().await.unwrap();
    assert!(in_flight.await.unwrap().is_err(), "nobody answers");
    // A busy machine may outlive a lease of a second; then it is told to come again for that.
    let answer = ask_until_answered(other.listen, &query("43", "k-2"), &[402, 409, 503]).await;
    assert_eq!(answer.json()["balance"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_that_are_not_there_or_frozen_or_closed_pay_for_nothing() {
    let stage = Stage::new("accounts").await;
    stage.grant("8", 1).await;
    let instance = stage.instance(&[&LONG]).await;
    let of_nobody = Ask {
        user: "nobody".to_owned(),
        ..query("42", "k-1")
    };
    assert_eq!(ask(&instance, &of_nobody).await.status, 404);
    assert_eq!(
        got(instance.listen, "/users/nobody/credits").await.status,
        404
    );

    stage.ledger.freeze_account(&account("8")).await.unwrap();
    let of_frozen = Ask {
        user: "8".to_owned(),
        ..query("42", "k-1")
    };
    let answer = ask(&instance, &of_frozen).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(
        answer.json()["detail"],
        "the account of this user is frozen; it pays for nothing"
    );

    stage.ledger.open_account(&account("9")).await.unwrap();
    stage.ledger.close_account(&account("9")).await.unwrap();
    let of_closed = Ask {
        user: "9".to_owned(),
        ..query("42", "k-1")
    };
    let answer = ask(&instance, &of_closed).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(
        answer.json()["detail"],
        "the account of this user is closed; it pays for nothing"
    );
}

fn grant(url: &str, credits: &str, payment: &str) -> Command {
    let mut command = Command::new(program());
    command
        .env("DATABASE_URL", url)
        .args(["grant", "7", credits, "--payment", payment]);
    command
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The grant commits, and its reply is lost (C46): who is told that nothing was granted enters the payment anew.
#[tokio::test(flavor = "multi_thread")]
async fn c46_of_a_grant_whose_reply_is_lost_it_says_that_it_is_unknown_and_of_which_payment() {
    let stage = Stage::new("c46_grant").await;
    let proxy = Proxy::to(stage.database_url()).await;
    let url = proxy.url(stage.database_url());
    // It waits for the account until its reply cannot come through any more.
    let mut tx = stage.pool.begin().await.unwrap();
    let lock = sqlx::query("select from credit.account for update").execute(&mut *tx);
    lock.await.unwrap();
    let granting = spawn_blocking(move || grant(&url, "5", "invoice-1").output().unwrap());
    let waiting = "select count(*) from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%credit.grant%' and datname = current_database()";
    let waits = async { while stage.count(waiting).await == 0 {} };
    within("the grant", waits).await;
    proxy.hold_replies();
    tx.rollback().await.unwrap();
    let granted = async { while stage.standing().await.balance != BALANCE + 5 {} };
    within("the credits", granted).await;
    proxy.close();

    let output = granting.await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = complaint(&output);
    assert!(
        said.contains("it is unknown whether payment \"invoice-1\" was granted"),
        "{said}"
    );
    assert!(!said.contains("nothing was granted"), "{said}");
    let url = stage.database_url();
    let again = grant(url, "5", "invoice-1").output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&again.stdout),
        "user 7: 5 credits granted (granted before), balance 15\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_granted_is_said_of_the_payment_and_a_payment_has_a_name() {
    let stage = Stage::new("not_granted").await;
    let url = stage.database_url();
    assert!(
        grant(url, "5", "invoice-1")
            .output()
            .unwrap()
            .status
            .success()
    );
    let output = grant(url, "6", "invoice-1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = complaint(&output);
    assert!(
        said.contains("payment \"invoice-1\" was granted before with another amount"),
        "{said}"
    );
    let nowhere = grant("postgres://127.0.0.1:1/x", "5", "invoice-2").output();
    let said = complaint(&nowhere.unwrap());
    assert!(
        said.contains("nothing was granted for payment \"invoice-2\""),
        "{said}"
    );
    let output = grant(url, "5", "").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    assert_eq!(stage.standing().await.balance, BALANCE + 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_granted_once() {
    let stage = Stage::new("payment").await;
    let grant = |payment: &str| {
        let output = grant(stage.database_url(), "5", payment).output().unwrap();
        assert!(output.status.success(), "{}", complaint(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        grant("invoice-1"),
        "user 7: 5 credits granted, balance 15\n"
    );
    assert_eq!(
        grant("invoice-1"),
        "user 7: 5 credits granted (granted before), balance 15\n"
    );
    assert_eq!(
        grant("invoice-2"),
        "user 7: 5 credits granted, balance 20\n"
    );
}
