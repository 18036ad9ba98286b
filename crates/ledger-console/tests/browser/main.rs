//! The page in a real browser: Chromium without a window, driven by chromedriver.

#[path = "../chromium/mod.rs"]
mod chromium;
#[path = "../programs/mod.rs"]
mod programs;
mod stage;

use fantoccini::Locator;
use fantoccini::key::Key;

use stage::Stage;

/// A name that has broken pages.
const HOSTILE: &str =
    "\"><script>document.title='owned'</script><img src=x onerror=alert(1)>'&amp;";

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_in_the_form_is_in_the_url_and_leaves_only_what_it_names() {
    let stage = Stage::set("browser filter").await;
    for name in ["user:1:dataset:1", "user:2:dataset:2"] {
        stage.refuse_a_late_write(name).await;
    }
    let page = stage.page("/").await;
    assert_eq!(
        page.find_all(Locator::Css("#refusals tbody tr"))
            .await
            .unwrap()
            .len(),
        2
    );
    let form = page.form(Locator::Css("form")).await.unwrap();
    form.set_by_name("resource", "user:2:dataset:2")
        .await
        .unwrap();
    form.submit().await.unwrap();
    page.wait()
        .for_element(Locator::Css("figure.story"))
        .await
        .unwrap();
    assert!(
        page.current_url()
            .await
            .unwrap()
            .query()
            .is_some_and(|q| q.contains("user%3A2%3Adataset%3A2"))
    );
    let rows = page
        .find_all(Locator::Css("#refusals tbody tr"))
        .await
        .unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].text().await.unwrap().contains("user:2:dataset:2"));
    stage.ends_without_complaint(page).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_leads_to_the_opening_that_refused_it_by_keyboard_alone() {
    let stage = Stage::set("browser follow").await;
    stage.refuse_a_late_write("user:7:dataset:42").await;
    let page = stage.page("/?resource=user:7:dataset:42").await;
    page.find(Locator::Css(".mark[data-kind=refused]"))
        .await
        .unwrap();
    // Tab by tab through everything before it, as somebody without a mouse comes there.
    let mut seen = Vec::new();
    for _ in 0..40 {
        page.active_element()
            .await
            .unwrap()
            .send_keys(&char::from(Key::Tab).to_string())
            .await
            .unwrap();
        let focus = page.active_element().await.unwrap();
        let name = focus
            .attr("data-kind")
            .await
            .unwrap()
            .or(focus.attr("name").await.unwrap());
        seen.extend(name);
        if seen.last().is_some_and(|name| name == "refused") {
            focus
                .send_keys(&char::from(Key::Enter).to_string())
                .await
                .unwrap();
            break;
        }
    }
    assert_eq!(
        seen,
        [
            "resource", "holder", "reason", "since", "opens", "opens", "refused"
        ]
    );
    let target = page
        .wait()
        .for_element(Locator::Css(".mark:target"))
        .await
        .unwrap();
    assert_eq!(
        target.attr("data-kind").await.unwrap().as_deref(),
        Some("opens")
    );
    assert!(
        target
            .attr("aria-label")
            .await
            .unwrap()
            .is_some_and(|label| label.contains("the mark is 2"))
    );
    stage.ends_without_complaint(page).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_text() {
    let stage = Stage::set("browser hostile").await;
    stage.refuse_a_late_write(HOSTILE).await;
    let page = stage.page("/").await;
    page.find(Locator::Css("#refusals td:last-child a"))
        .await
        .unwrap()
        .click()
        .await
        .unwrap();
    let title = page
        .wait()
        .for_element(Locator::Css("figure.story figcaption"))
        .await
        .unwrap();
    assert!(title.text().await.unwrap().starts_with(HOSTILE));
    assert!(
        page.title().await.unwrap().starts_with("ledger: "),
        "a name ran as a script"
    );
    assert!(
        page.find_all(Locator::Css("img, script:not([src])"))
            .await
            .unwrap()
            .is_empty()
    );
    stage.ends_without_complaint(page).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_live_while_a_real_window_is_played() {
    let stage = Stage::set("browser live").await;
    let page = stage.page("/").await;
    let path = "//section[@id='refusals']//td[contains(., 'window:fence-opened')]";
    assert!(
        page.find_all(Locator::XPath(path))
            .await
            .unwrap()
            .is_empty()
    );
    let played = stage.play_the_window();
    page.wait()
        .at_most(stage::PATIENCE)
        .for_element(Locator::XPath(path))
        .await
        .unwrap();
    assert!(
        played.join().expect("it was started"),
        "the scenario did not come out as documented"
    );
    stage.ends_without_complaint(page).await;
}
