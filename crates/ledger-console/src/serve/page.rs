//! The page: filters, the picture of a resource, lists. Whole without its script.

use clap::ValueEnum;
use maud::{DOCTYPE, Markup, html};

use super::asked::{Asked, value_of};
use super::read::Rows;
use super::{lists, story};
use crate::cli::RefusedFor;
use crate::picture::shown;

/// What answers what was asked.
pub(super) fn content(asked: &Asked, rows: &Rows) -> Markup {
    html! {
        @match asked.resource.as_ref().zip(rows.told.as_ref()) {
            Some((resource, told)) => (story::story(resource.as_str(), told).draw()),
            None => p class="hint" { "Choose a resource, here or in a list, to see its openings as lanes." },
        }
        (lists::lists(asked, rows))
    }
}

/// The page around its content. `tag` tells one content from another, here and in the answer's head: by it the script
/// knows what it has.
pub(super) fn page(asked: &Asked, content: &Markup, tag: &str) -> Markup {
    around(asked, "ledger", content, Some(tag))
}

/// The page that says why there is none.
pub(super) fn no_answer(asked: &Asked, what: &str, why: &str) -> Markup {
    around(
        asked,
        what,
        &html! { p class="no-answer" role="alert" { (shown(why)) } },
        None,
    )
}

fn around(asked: &Asked, title: &str, content: &Markup, tag: Option<&str>) -> Markup {
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
                main id="content" data-tag=[tag] { (content) }
                footer {
                    "Times are UTC, by the database's clock. When a lease was acquired and who was frozen is in no row: "
                    code { "double-charge --html" } " draws those."
                }
            }
        }
    }
}

fn filters(asked: &Asked) -> Markup {
    html! {
        form method="get" action="/" role="search" {
            label { "resource" input name="resource" value=(asked.typed("resource")) autocomplete="off" spellcheck="false"; }
            label { "holder" input name="holder" value=(asked.typed("holder")) autocomplete="off" spellcheck="false"; }
            label {
                "reason"
                select name="reason" {
                    option value="" { "any" }
                    @for &reason in RefusedFor::value_variants() {
                        option value=(value_of(reason)) selected[asked.reason == Some(reason)] { (value_of(reason)) }
                    }
                }
            }
            label { "since" input name="since" value=(asked.typed("since")) placeholder="15m, 2h, 7d" autocomplete="off"; }
            button type="submit" { "show" }
        }
    }
}
