//! The run as one HTML file that can be shared: the staircase, and every cell as a picture.
//!
//! Nothing is fetched and nothing is run: the only style is the one inside, which the file's own policy
//! names by its digest.

mod file;
mod policy;
mod staircase;
mod story;

use ledger_console::picture;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::cell::{Cell, DUE};
use crate::played::Played;

pub(crate) use file::ReportFile;

/// What a report says of its run besides what was played.
pub(crate) struct Setting<'a> {
    pub(crate) run: &'a str,
    pub(crate) redis: &'a str,
    pub(crate) postgres: &'a str,
}

/// The report of a run, the whole file.
pub(crate) fn html(setting: &Setting<'_>, played: &[Played]) -> String {
    let style = format!("{}{}", picture::STYLE, include_str!("report.css"));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy::policy(&style));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { "double-charge, run " (setting.run) }
                style { (PreEscaped(&style)) }
            }
            body {
                (head(setting, played))
                main { @for cell in played { (section(cell)) } }
                footer { "Drawn from the program's own record. Play it yourself: " code { "cargo demo --html report.html" } }
            }
        }
    };
    page.into_string()
}

fn head(setting: &Setting<'_>, played: &[Played]) -> Markup {
    html! {
        header {
            h1 { "Who was charged twice?" }
            p {
                "Real processes charge a customer who owes " (DUE) ", because a Redis lock expired under one of them. In all of "
                "these A has acquired the lock and read “not paid”; frozen, it sleeps past its lease, and B takes over."
            }
            (staircase::staircase(played))
            p class="setting" {
                "run " code { (setting.run) } " on " (setting.redis) ", " (setting.postgres)
                ". The numbers are counted from the ledger's rows, not from what the processes say."
            }
        }
    }
}

fn section(played: &Played) -> Markup {
    let Cell {
        protection,
        incident,
    } = played.cell;
    html! {
        section id=(staircase::anchor(played.cell)) class=(staircase::verdict(played)) {
            h2 { (incident.name()) " under " (protection.name()) }
            p { (incident.tells()) }
            p class="outcome" {
                "charged " strong class="charged" { (played.outcome.charged) } " of " (DUE) " due"
                @if played.outcome.refused > 0 { ", " (played.outcome.refused) " refused" }
                @if played.outcome.replayed > 0 { ", " (played.outcome.replayed) " replayed" }
                @if !played.is_as_documented() { ", " strong { "not as documented" } }
            }
            @if let Some(error) = &played.error { p class="error" { "not played to its end: " (picture::shown(error)) } }
            (story::story(played).draw())
            p class="names" {
                "resource " code { (picture::shown(&played.names.resource)) } ", account " code { (picture::shown(&played.names.account)) }
            }
        }
    }
}
