//! A page that is brought up to date while somebody reads it.

use crate::driver::Browser;
use crate::served::Served;

const ROWS: &str = "return document.querySelectorAll('#refusals tbody tr').length === ";

#[tokio::test]
async fn what_a_reader_has_followed_unfolded_and_focused_outlives_what_is_new() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    Browser::run(async |browser| {
        browser.go(&served.url("/?resource=r")).await;
        browser.run_script("window.loadedOnce = true").await;
        browser.follow("a.mark[data-kind=refused]").await;
        let marked = "
            const mark = document.querySelector(':target');
            return mark !== null && mark.dataset.kind === 'opens' && mark.getAttribute('aria-label').includes('the mark is 2')";
        browser.holds("the refusal leads to its opening", marked).await;
        browser.run_script("document.querySelector('#content details').open = true; scrollTo(0, 200)").await;
        browser.run_script("document.querySelector('#refusals td:last-child a').focus({ preventScroll: true })").await;

        served.one_more_refusal("r", "a").await;
        browser.until("the second refusal appears", &format!("{ROWS}2")).await;
        browser.holds("the opening is still marked", marked).await;
        browser.holds("it is the same document", "return window.loadedOnce").await;
        browser.holds("the tables are unfolded", "return document.querySelector('#content details').open").await;
        browser.holds("the focus is where it was", "return document.activeElement.matches('#refusals td:last-child a')").await;
        browser.holds("nothing has jumped", "return scrollY === 200").await;
    })
    .await;
}

#[tokio::test]
async fn a_link_that_was_sent_marks_what_it_names_and_keeps_it_marked() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    Browser::run(async |browser| {
        browser.go(&served.url("/")).await;
        // From the list of all refusals to the write in its resource's picture.
        browser.click("#refusals tbody a").await;
        browser
            .until(
                "the page has looked",
                "return document.getElementById('live').textContent === 'live'",
            )
            .await;
        browser
            .holds(
                "the refused write is marked",
                "return document.querySelector(':target')?.dataset.kind === 'refused'",
            )
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_late_holder_whose_opening_is_not_drawn_is_not_called_one_that_never_opened() {
    let served = Served::new().await;
    // Its refusal is drawn; its opening is older than the newest 24.
    served.a_refused_charge("r", "a").await;
    served.openings("r", 3..=40).await;
    served.one_more_refusal("r", "a").await;
    let page = served.get("/?resource=r", "").await.body;
    assert!(page.contains("opened earlier, or never"), "{page}");
    assert!(!page.contains(", never opened"), "{page}");
    // On the page of the older openings it is drawn, with the line to who refused it.
    let first = served.openings_of("r").await;
    let older = format!("/?resource=r&openings-before={}", first[3].seq);
    let page = served.get(&older, "").await.body;
    assert_eq!(page.matches("class=\"refused-by\"").count(), 1, "{page}");
}
