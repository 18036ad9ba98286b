//! Ten thousand rows.

use crate::driver::Browser;
use crate::served::Served;

/// The most elements that the page may come to, whatever the database holds.
const MOST_ELEMENTS: i64 = 8000;
/// The longest that its script may keep the browser busy at one time, in ms, on a machine that is busy with other tests.
const MOST_BUSY_MS: i64 = 1000;

#[tokio::test]
async fn ten_thousand_refused_writes_neither_swell_the_page_nor_make_it_jerk() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    sqlx::raw_sql(include_str!("crowd.sql"))
        .execute(served.pool())
        .await
        .expect("it is filled");
    Browser::run(async |browser| {
        browser.go(&served.url("/?resource=r")).await;
        browser.holds("a page of rows is there", "return document.querySelectorAll('#refusals tbody tr').length === 100").await;
        let elements = browser.number_of("return document.querySelectorAll('*').length").await;
        assert!(elements < MOST_ELEMENTS, "{elements} elements");
        // Drawn anew while it is looked at: each new row changes two parts of the page.
        browser.run_script("
            window.busy = 0;
            new PerformanceObserver((list) => list.getEntries().forEach((task) => { busy = Math.max(busy, task.duration); }))
                .observe({ type: 'longtask', buffered: true })").await;
        browser.run_script("window.before = document.querySelector('#content').dataset.tag").await;
        served.one_more_refusal("r", "a").await;
        browser.until("it is brought up to date", "return document.querySelector('#content').dataset.tag !== window.before").await;
        let busy = browser.number_of("return Math.round(window.busy)").await;
        assert!(busy < MOST_BUSY_MS, "the page was busy for {busy} ms at one time");
        println!("{elements} elements, at most {busy} ms busy at one time");
    })
    .await;
}
