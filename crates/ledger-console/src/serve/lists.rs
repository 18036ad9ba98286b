//! The lists below the picture.

use maud::{Markup, Render, html};
use time::OffsetDateTime;
use time::macros::format_description;
use uuid::Uuid;

use super::asked::{Asked, List};
use super::read::{ROWS, Rows};
use super::story::{anchor, short};
use crate::picture::shown;

/// All lists, each with a link to its older rows.
pub(super) fn lists(asked: &Asked, rows: &Rows) -> Markup {
    html! {
        (refusals(asked, rows))
        (openings(asked, rows))
        (entries(asked, rows))
        (holds(asked, rows))
    }
}

fn refusals(asked: &Asked, rows: &Rows) -> Markup {
    let head = [
        "refused",
        "reason",
        "fence",
        "the mark was",
        "times",
        "what",
        "resource",
    ];
    let body = rows.refusals.iter().map(|row| {
        html! {
            tr {
                td { a href={ (Asked::about(&row.resource)) "#" (anchor().part("mark")) "-" (row.seq) } { (at(row.first_at)) } }
                td class="refused" { (row.reason) }
                td { (row.presented_fence) " of " (holder(row.presented_holder)) }
                td { (row.observed_fence) @if let Some(by) = row.observed_holder { " of " (holder(by)) } }
                td { (row.attempts) }
                td { bdi { (shown(&row.operation)) } }
                td { (resource(&row.resource)) }
            }
        }
    });
    list(
        asked,
        List::Refusals,
        "Refused writes",
        &head,
        body,
        rows.refusals.last().map(|row| row.seq),
        rows.refusals.len(),
    )
}

fn openings(asked: &Asked, rows: &Rows) -> Markup {
    let head = [
        "opened",
        "fence",
        "took over from",
        "how it ended",
        "resource",
    ];
    let body = rows.openings.iter().map(|row| {
        html! {
            tr {
                td { (at(row.at)) }
                td { (row.fence) " of " (holder(row.holder)) }
                td { @if row.takeover { (row.previous_fence.unwrap_or(0)) } }
                td {
                    @if let Some(closed) = row.closed_at { "closed " (at(closed)) @if row.is_closed_late() { ", late" } }
                    @else if let Some(next) = row.next_fence { "overtaken by " (next) }
                    @else { "open" }
                }
                td { (resource(&row.resource)) }
            }
        }
    });
    list(
        asked,
        List::Openings,
        "Openings",
        &head,
        body,
        rows.openings.last().map(|row| row.seq),
        rows.openings.len(),
    )
}

fn entries(asked: &Asked, rows: &Rows) -> Markup {
    let head = [
        "written", "what", "account", "change", "balance", "fence", "resource",
    ];
    let body = rows.entries.iter().map(|row| {
        html! {
            tr {
                td { (at(row.at)) }
                td { bdi { (shown(&row.operation)) } ", " bdi { (shown(&row.purpose)) } }
                td { bdi { (shown(&row.account)) } }
                td class="number" { (row.change) }
                td class="number" { (row.balance_after) }
                td { @if let Some(fence) = row.fence { (fence) } }
                td { @if let Some(name) = &row.resource { (resource(name)) } }
            }
        }
    });
    list(
        asked,
        List::Entries,
        "Entries",
        &head,
        body,
        rows.entries.last().map(|row| row.seq),
        rows.entries.len(),
    )
}

fn holds(asked: &Asked, rows: &Rows) -> Markup {
    let head = [
        "held",
        "how it stands",
        "amount",
        "account",
        "what for",
        "resource",
    ];
    let body = rows.holds.iter().map(|row| {
        html! {
            tr {
                td { (at(row.at)) }
                td { (row.state.as_str()) }
                td class="number" { (row.amount) }
                td { bdi { (shown(&row.account)) } }
                td { bdi { (shown(&row.purpose)) } }
                td { (resource(&row.resource)) }
            }
        }
    });
    list(
        asked,
        List::Holds,
        "Holds",
        &head,
        body,
        rows.holds.last().map(|row| row.seq),
        rows.holds.len(),
    )
}

/// A list, one page of it, with the way to the older rows.
fn list(
    asked: &Asked,
    list: List,
    title: &str,
    head: &[&str],
    body: impl Iterator<Item = Markup>,
    last: Option<i64>,
    count: usize,
) -> Markup {
    html! {
        section id=(list.name()) class="list" {
            h2 { (title) }
            @if count == 0 { p class="none" { "none" } } @else {
                // It scrolls by itself where it is wider than the page, also by keyboard.
                div class="scroll" tabindex="0" role="region" aria-label=(title) {
                    table {
                        thead { tr { @for name in head { th scope="col" { (name) } } } }
                        tbody { @for row in body { (row) } }
                    }
                }
            }
            @if let Some(last) = last.filter(|_| count == usize::from(ROWS)) {
                p { a class="older" href=(asked.older(list, last)) { "older " (title.to_lowercase()) } }
            }
        }
    }
}

fn resource(name: &str) -> Markup {
    html! { a href=(Asked::about(name)) { bdi { (shown(name)) } } }
}

fn holder(holder: Uuid) -> Markup {
    html! { a href={ "/?holder=" (holder) } title=(holder) { (short(holder)) } }
}

/// A moment by the database's clock, in UTC.
fn at(moment: OffsetDateTime) -> impl Render {
    let format =
        format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]");
    let text = moment.to_offset(time::UtcOffset::UTC).format(&format);
    html! { time { (text.unwrap_or_else(|_| moment.to_string())) } }
}
