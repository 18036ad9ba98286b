//! What the page answers, read without a browser.

use std::collections::BTreeSet;

use scraper::{Html, Selector};

use crate::served::Served;

#[tokio::test]
async fn a_page_that_has_not_changed_is_not_sent_again() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    let first = served.get("/", "").await;
    let tag = first.header("etag").expect("a page bears a tag").to_owned();
    let seen = format!("If-None-Match: {tag}\r\n");
    let again = served.get("/", &seen).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    served.one_more_refusal("r", "a").await;
    let changed = served.get("/", &seen).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_named_and_stays_in_the_form_to_be_corrected() {
    let served = Served::new().await;
    for (query, field, typed) in [
        ("holder=me&resource=r", "holder", "me"),
        ("since=yesterday", "since", "yesterday"),
        ("resource=a%0Ab", "resource", "a\nb"),
    ] {
        let answer = served.get(&format!("/?{query}"), "").await;
        assert_eq!(answer.status, 400, "{query}");
        let tree = Html::parse_document(&answer.body);
        let said = tree
            .select(&selector("[role=alert]"))
            .next()
            .map(|it| it.text().collect::<String>());
        assert!(
            said.is_some_and(|said| said.starts_with(&format!("{field}: "))),
            "{query}"
        );
        let input = tree
            .select(&selector(&format!("input[name={field}]")))
            .next();
        assert_eq!(
            input.and_then(|input| input.attr("value")),
            Some(typed),
            "{query}"
        );
    }
}

#[tokio::test]
async fn the_links_to_older_rows_lead_through_every_row_once() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    for _ in 1..220 {
        served.one_more_refusal("r", "a").await;
    }
    let (older, rows) = (
        selector("#refusals a.older"),
        selector("#refusals tbody tr"),
    );
    let late = selector("td a[href^='/?holder=']");
    let (mut next, mut pages, mut seen) = (
        Some("/?resource=r&reason=stale".to_owned()),
        0,
        BTreeSet::new(),
    );
    while let Some(path) = next {
        let path = path.split('#').next().unwrap_or_default();
        let answer = served.get(path, "").await;
        let tree = Html::parse_document(&answer.body);
        for row in tree.select(&rows) {
            // Each of these late holders tried once, and stands first in its row.
            let holder = row.select(&late).next().and_then(|link| link.attr("title"));
            let holder = holder.expect("a row names its holder").to_owned();
            assert!(seen.insert(holder.clone()), "{holder} is there twice");
        }
        next = tree
            .select(&older)
            .next()
            .and_then(|link| link.attr("href"))
            .map(str::to_owned);
        pages += 1;
    }
    assert_eq!((seen.len(), pages), (220, 3));
}

#[tokio::test]
async fn every_link_and_id_of_the_page_is_whole() {
    let served = Served::new().await;
    served.a_refused_charge("r", "a").await;
    let answer = served.get("/?resource=r", "").await;
    let tree = Html::parse_document(&answer.body);
    assert_eq!(tree.errors, Vec::<String>::new());
    let ids = tree
        .select(&selector("[id]"))
        .filter_map(|it| it.attr("id"))
        .collect::<Vec<_>>();
    assert_eq!(
        ids.len(),
        ids.iter().collect::<BTreeSet<_>>().len(),
        "an id is there twice: {ids:?}"
    );
    for link in tree
        .select(&selector("[href]"))
        .filter_map(|it| it.attr("href"))
    {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "{link} leads nowhere"),
            None => assert!(
                link.starts_with('/') && !link.starts_with("//"),
                "{link} leads elsewhere"
            ),
        }
    }
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).expect("it is a selector")
}
