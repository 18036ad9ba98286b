//! Who can pay, and who cannot.

use crate::call::Ask;
use crate::stage::{LONG, Stage, account, ask, got, program, query};

#[tokio::test(flavor = "multi_thread")]
async fn without_credits_a_query_is_not_run_and_the_key_can_be_used_after_a_payment() {
    let stage = Stage::new("no_credit").await;
    let instance = stage.instance(&[&LONG, &[("PRICE", "11")]]).await;
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!(answer.status, 402, "{answer:?}");
    let problem = answer.json();
    assert_eq!(problem["type"], "tag:dataset-service,2026:no-credit");
    assert_eq!(
        (&problem["available"], &problem["price"]),
        (&10.into(), &11.into())
    );
    assert_eq!(answer.retry_after(), None);
    stage.assert_charged(0).await;

    stage.grant("7", 1).await;
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!(
        (answer.status, answer.json()["balance"].as_i64()),
        (200, Some(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c40_of_queries_at_once_only_those_that_are_covered_are_answered() {
    let stage = Stage::new("c40").await;
    let instance = stage.instance(&[&LONG, &[("PRICE", "4")]]).await;
    let asked: Vec<_> = (0..6)
        .map(|n| crate::stage::asking(&instance, &query(&format!("d{n}"), &format!("k-{n}"))))
        .collect();
    let mut statuses = Vec::new();
    for asking in asked {
        statuses.push(crate::stage::answer_of(asking).await.status);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 402, 402, 402, 402]);
    let standing = stage.standing().await;
    assert_eq!((standing.balance, standing.held), (2, 0));
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

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_granted_once() {
    let stage = Stage::new("payment").await;
    let grant = |payment: &str| {
        let mut command = std::process::Command::new(program());
        command.env("DATABASE_URL", stage.database_url()).args([
            "grant",
            "7",
            "5",
            "--payment",
            payment,
        ]);
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
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
