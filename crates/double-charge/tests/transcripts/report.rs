//! The report of a run, read as a browser reads it, against the JSON document of the same run.

use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

use super::{double_charge, whole_table};

fn select<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("it is a selector");
    page.select(&selector).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

fn cells(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let cells = document["cells"].as_array().expect("cells is a list");
    let name = |cell: &Value, field: &str| cell[field].as_str().expect("it is a name").to_owned();
    cells.iter().map(move |cell| {
        (
            format!("{}-{}", name(cell, "incident"), name(cell, "protection")),
            cell,
        )
    })
}

#[test]
fn the_report_has_the_numbers_of_the_run() {
    let (document, report) = whole_table();
    let page = Html::parse_document(report);
    for (anchor, cell) in cells(document) {
        let charged = cell["charged"].to_string();
        let in_section = select(&page, &format!("#{anchor} .charged"));
        assert_eq!(
            in_section.into_iter().map(text).collect::<Vec<_>>(),
            std::slice::from_ref(&charged),
            "{anchor}"
        );
        let in_table = select(&page, &format!(".staircase a[href='#{anchor}']"));
        let in_table = in_table.into_iter().map(text).collect::<String>();
        assert!(in_table.starts_with(&charged), "{anchor}: {in_table}");
    }
    assert_eq!(select(&page, ".staircase a").len(), 20);
}

#[test]
fn the_report_tells_every_event_in_its_order() {
    let (document, report) = whole_table();
    let page = Html::parse_document(report);
    for (anchor, cell) in cells(document) {
        let events = cell["events"].as_array().expect("events is a list");
        let of_run = events
            .iter()
            .map(|event| (event["holder"].as_str(), event["text"].as_str()));
        let of_run: Vec<_> = of_run
            .map(|(who, what)| format!("{who:?} {what:?}"))
            .collect();
        let column = |column: u8| {
            let selector = format!("#{anchor} .steps td:nth-child({column}) bdi");
            select(&page, &selector)
                .into_iter()
                .map(text)
                .collect::<Vec<_>>()
        };
        let of_report = column(3).into_iter().zip(column(4));
        let of_report: Vec<_> = of_report
            .map(|(who, what)| format!("{:?} {:?}", Some(who), Some(what)))
            .collect();
        assert_eq!(of_report, of_run, "{anchor}");
        assert_eq!(
            select(&page, &format!("#{anchor} .mark")).len(),
            events.len(),
            "{anchor}"
        );
    }
}

/// Frozen for longer than the lease; and each refused write leads to what refused it.
#[test]
fn every_picture_has_a_frozen_span_and_a_line_from_each_refused_write() {
    let (document, report) = whole_table();
    let page = Html::parse_document(report);
    for (anchor, cell) in cells(document) {
        assert_eq!(
            select(&page, &format!("#{anchor} .lanes .bar.frozen")).len(),
            1,
            "{anchor}"
        );
        let lines = select(&page, &format!("#{anchor} .refused-by")).len();
        assert_eq!(Some(lines as u64), cell["refused"].as_u64(), "{anchor}");
        let opened = select(&page, &format!("#{anchor} .lanes .bar.window")).len();
        assert_eq!(opened > 0, anchor.ends_with("fence-opened"), "{anchor}");
    }
}

#[test]
fn the_report_is_one_well_formed_file_that_fetches_and_runs_nothing() {
    let (_, report) = whole_table();
    let page = Html::parse_document(report);
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    for element in select(&page, "*") {
        assert!(
            !["script", "link", "img", "iframe", "base", "object"]
                .contains(&element.value().name())
        );
        for (name, value) in element.value().attrs() {
            assert!(
                !name.starts_with("on") && !["style", "src", "srcset"].contains(&name),
                "{name}={value}"
            );
            assert!(name != "href" || value.starts_with('#'), "{name}={value}");
        }
    }
    assert!(
        !report.contains("@import") && !report.contains("://"),
        "something is named by a URL"
    );
    let policy = select(&page, "meta[http-equiv='Content-Security-Policy']")[0]
        .value()
        .attr("content");
    assert!(
        policy
            .expect("it has one")
            .starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy:?}"
    );
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_before_anything_is_played() {
    let folder = tempfile::tempdir().expect("there is a place for it");
    let (missing, taken) = (folder.path().join("none/report.html"), folder.path());
    for place in [missing.as_path(), taken] {
        let output = double_charge(&["--html", place.to_str().expect("it has a name")]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        // The first thing that a run says is which servers it stands on.
        assert!(
            errors.starts_with("double-charge: no report can be written at"),
            "{errors}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn what_is_not_played_has_no_report() {
    for verb in ["refusals", "servers"] {
        let output = double_charge(&[verb, "--html", "never.html"]);
        assert_eq!(output.status.code(), Some(2), "{verb}");
        assert!(!std::path::Path::new("never.html").exists());
    }
}
