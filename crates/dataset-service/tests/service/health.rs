//! What operators see.

use testbed::{Options, Proxy, RedisServer};

use crate::call::Answer;
use crate::held::{Held, Late};
use crate::stage::{LONG, SHORT, Stage, ask, ask_until_answered, got, query, within};

#[tokio::test(flavor = "multi_thread")]
async fn readiness_says_which_server_is_missing_and_life_goes_on() {
    let stage = Stage::new("ready").await;
    let ledger = Proxy::to(stage.database_url()).await;
    let mut redis =
        tokio::task::block_in_place(|| RedisServer::start(&Options::throw_away())).unwrap();
    let redis_url = redis.url().to_owned();
    let url = ledger.url(stage.database_url());
    let options = [
        ("DATABASE_URL", url.as_str()),
        ("REDIS_URL", &redis_url),
        ("QUERIES_URL", stage.database_url()),
    ];
    let instance = stage.instance(&[&LONG, &options]).await;
    let ready = async || seen(&got(instance.ops, "/ready").await);

    assert_eq!(ready().await, (200, "answers".into(), "answers".into()));
    ledger.close();
    assert_eq!(
        ready().await,
        (503, "does not answer".into(), "answers".into())
    );
    ledger.reopen();
    // Frozen, so that it is the bound that ends the question.
    redis.freeze();
    assert_eq!(
        ready().await,
        (503, "answers".into(), "does not answer".into())
    );
    assert_eq!(got(instance.ops, "/live").await.status, 200);
    redis.thaw();
    within("readiness", async { while ready().await.0 != 200 {} }).await;
}

/// A standby that was not promoted, or a server that was set to read only: it answers, and each query would fail.
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_whose_postgres_takes_no_writes_is_not_ready_and_says_so_to_customers() {
    let stage = Stage::new("read_only").await;
    let instance = stage.instance(&[&LONG]).await;
    set_read_only(&stage, "on").await;
    let ready = seen(&got(instance.ops, "/ready").await);
    assert_eq!(ready, (503, "takes no writes".into(), "answers".into()));
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:unavailable".into())
    );
    set_read_only(&stage, "off").await;
    ask_until_answered(instance.listen, &query("42", "k-1"), &[503]).await;
    assert_eq!(got(instance.ops, "/ready").await.status, 200);
    stage.assert_charged(1).await;
}

/// What is set of a database holds for those who connect after it.
async fn set_read_only(stage: &Stage, to: &str) {
    let set = format!(
        "begin read write;
         do $$ begin execute format('alter database %I set default_transaction_read_only = {to}', current_database()); end $$;
         commit;
         select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(set))
        .execute(&stage.pool)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_whose_datasets_do_not_answer_is_not_ready() {
    let stage = Stage::new("datasets_away").await;
    let held = Held::start(&stage, &LONG).await;
    held.datasets.close();
    let answer = got(held.instance.ops, "/ready").await;
    assert_eq!(
        (answer.status, &answer.json()["datasets"]),
        (503, &"does not answer".into())
    );
    held.datasets.reopen();
    let ready = async { while got(held.instance.ops, "/ready").await.status != 200 {} };
    within("readiness", ready).await;
}

/// An alert on the growth of a figure that is not there yet misses its first step.
#[tokio::test(flavor = "multi_thread")]
async fn every_figure_that_an_alert_asks_for_is_there_from_the_start() {
    let stage = Stage::new("zeros").await;
    let instance = stage.instance(&[&LONG]).await;
    let figures = got(instance.ops, "/metrics").await.body;
    let (_, alerts) = include_str!("../../LIFTING.md")
        .split_once("## Alerts")
        .unwrap();
    let rows = alerts.split("##").next().unwrap().lines();
    let asked: Vec<_> = rows
        .filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(asked.len() >= 4, "{asked:?}");
    for figure in asked {
        let zero = |line: &str| line.starts_with(figure) && line.ends_with(" 0");
        assert!(figures.lines().any(zero), "no {figure} in\n{figures}");
    }
    for operation in ["hold", "capture", "release"] {
        for reason in ["stale", "not open", "conflict", "closed"] {
            let labels = format!("{{operation=\"{operation}\",reason=\"{reason}\"}} 0");
            let zero = format!("dataset_service_refused_writes{labels}");
            assert!(figures.lines().any(|line| line == zero), "no {zero}");
        }
    }
}

fn seen(answer: &Answer) -> (u16, String, String) {
    let body = answer.json();
    let word = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    (answer.status, word("postgres"), word("redis"))
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_tell_of_overruns_and_refusals_and_name_no_customer() {
    let stage = Stage::new("figures").await;
    let late = Late::start(&stage).await;
    let other = stage.instance(&[&SHORT]).await;
    let in_flight = late.charging(&query("secret-dataset", "k-1")).await;
    ask_until_answered(other.listen, &query("secret-dataset", "k-2"), &[409]).await;
    late.ledger.pass();
    assert_eq!(crate::stage::answer_of(in_flight).await.status, 409);
    assert_eq!(
        ask(&late.instance, &query("secret-dataset", "k-1"))
            .await
            .status,
        200
    );

    let figures = got(late.instance.ops, "/metrics").await;
    assert!(
        figures.headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/plain; version=0.0.4")
    );
    for line in [
        "fenced_section_entered{by=\"lease\"} 2",
        "fenced_section_left 2",
        "fenced_section_overruns 1",
        "dataset_service_answers{kind=\"answered\"} 1",
        "dataset_service_answers{kind=\"overtaken\"} 1",
        "dataset_service_refused_writes{operation=\"capture\",reason=\"stale\"} 1",
        "fenced_section_hold_ratio_bucket{le=\"1\"} 1",
        "fenced_section_hold_ratio_count 2",
        "dataset_service_query_seconds_count 2",
        "dataset_service_in_flight 0",
    ] {
        assert!(
            figures.body.lines().any(|seen| seen == line),
            "no {line} in\n{}",
            figures.body
        );
    }
    let of_other = got(other.ops, "/metrics").await.body;
    assert!(
        of_other.contains("fenced_section_takeovers 1"),
        "{of_other}"
    );
    assert!(!figures.body.contains("secret"), "{}", figures.body);
    // They are none of the customers' business.
    for path in ["/metrics", "/ready", "/live"] {
        assert_eq!(got(late.instance.listen, path).await.status, 404);
    }
}
