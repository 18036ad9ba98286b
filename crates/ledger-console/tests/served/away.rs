//! Postgres goes away, and comes back.

use testbed::{Options, PostgresServer};

use crate::driver::Browser;
use crate::served::Served;

#[tokio::test]
async fn a_page_that_is_open_tells_that_postgres_is_away_and_goes_on_when_it_is_back() {
    let start = || PostgresServer::start(&Options::throw_away().durable());
    let mut server = tokio::task::spawn_blocking(start)
        .await
        .expect("it starts")
        .expect("it starts");
    let url = server.url().to_owned();
    let served = Served::at(&url).await;
    served.a_refused_charge("r", "a").await;
    Browser::run(async |browser| {
        browser.go(&served.url("/?resource=r")).await;
        browser
            .until(
                "rows are there",
                "return document.querySelectorAll('#refusals tbody tr').length === 1",
            )
            .await;

        server.kill_nine().expect("it is ours");
        browser
            .until(
                "the page that is open says so, and keeps its rows",
                "
            return document.getElementById('live').textContent.startsWith('Postgres is away')
                && document.querySelectorAll('#refusals tbody tr').length === 1",
            )
            .await;
        browser.go(&served.url("/?resource=r")).await;
        browser
            .holds(
                "so does one that is asked for now",
                "return document.querySelector('[role=alert]') !== null",
            )
            .await;

        server.restart().expect("it starts again");
        browser
            .until(
                "the rows are back",
                "return document.querySelectorAll('#refusals tbody tr').length === 1",
            )
            .await;
        // The answer 503 is told on the console by the browser itself.
        browser.forgive("503");
    })
    .await;
}
