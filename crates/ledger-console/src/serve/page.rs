//! The page: filters, the picture of a resource, lists. Whole without its script.

use clap::ValueEnum;
use maud::{DOCTYPE, Markup, html};

use super::asked::{Asked, value_of};
use super::read::Rows;
use super::{lists, story};
use crate::cli::RefusedFor;
use crate::picture::shown;

/// The page that answers what was asked.
pub(super) fn page(asked: &Asked, rows: &Rows) -> Markup {
    around(
        asked,
        "ledger",
        &html! {
            @match &asked.resource {
                Some(resource) => (story::story(resource.as_str(), rows).draw()),
                None => p class="hint" { "Choose a resource, here or in a list, to see its openings as lanes." },
            }
            (lists::lists(asked, rows))
        },
    )
}

/// The page that says why there is none.
pub(super) fn no_answer(asked: &Asked, what: &str, why: &str) -> Markup {
    around(
        asked,
        what,
        &html! { p class="no-answer" role="alert" { (shown(why)) } },
    )
}

fn around(asked: &Asked, title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) @if let Some(resource) = &asked.resource { ": " (shown(resource.as_str())) } }
                link rel="icon" href="/icon.svg";
                link rel="stylesheet" href="/page.css";
                script src="/page.js" defer {}
            }
            body {
                a class="skip" href="#content" { "skip the filters" }
                header {
                    h1 { a href="/" { "ledger" } }
                    p id="live" role="status" { "as of this request" }
                }
                (filters(asked))
                main id="content" { (content) }
                footer {
                    "Times are UTC, by the database's clock. When a lease was acquired and who was frozen is in no row: "
                    code { "double-charge --html" } " draws those."
                }
            }
        }
    }
}

fn filters(asked: &Asked) -> Markup {
    let resource = asked
        .resource
        .as_ref()
        .map_or("", |resource| resource.as_str());
    let holder = asked
        .holder
        .map(|holder| holder.to_string())
        .unwrap_or_default();
    html! {
        form method="get" action="/" role="search" {
            label { "resource" input name="resource" value=(resource) autocomplete="off" spellcheck="false"; }
            label { "holder" input name="holder" value=(holder) autocomplete="off" spellcheck="false"; }
            label {
                "reason"
                select name="reason" {
                    option value="" { "any" }
                    @for &reason in RefusedFor::value_variants() {
                        option value=(value_of(reason)) selected[asked.reason == Some(reason)] { (value_of(reason)) }
                    }
                }
            }
            label { "since" input name="since" value=(asked.since_text) placeholder="15m, 2h, 7d" autocomplete="off"; }
            button type="submit" { "show" }
        }
    }
}
