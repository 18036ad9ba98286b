//! The whole picture: axis, lanes, lines from refused writes to what refused them, legend, tables.

use maud::{Markup, html};

use super::glyph::glyph;
use super::lane::{self, lane, mark, percent};
use super::moment::length;
use super::plan::Plan;
use super::{BarKind, MarkKind, Story, Times, shown, tables};

/// The height of the axis below the lanes, in pixels.
const AXIS: f64 = 30.0;
/// How far apart two names on the axis are at least, in per cent, so that a phone has room for them: a time of
/// day is longer than a time since the begin.
fn named_apart(times: Times) -> f64 {
    match times {
        Times::SinceBegin => 24.0,
        Times::Utc => 38.0,
    }
}

impl Story {
    /// Draws it: a `<figure>` with the picture, its legend, and the tables that say the same.
    pub fn draw(&self) -> Markup {
        let plan = Plan::of(self);
        let [title, skip] = ["title", "after"].map(|part| self.anchor.part(part));
        html! {
            figure class="story" aria-labelledby=(title) {
                figcaption id=(title) { (shown(&self.title)) }
                @if plan.lanes.is_empty() {
                    p class="empty" { "nothing happened here" }
                } @else {
                    a class="skip" href={ "#" (skip) } { "skip the picture" }
                    (picture(&plan))
                    (legend(&plan))
                }
                (left_out(&plan))
                div id=(skip) { (tables::tables(&plan)) }
            }
        }
    }
}

fn picture(plan: &Plan<'_>) -> Markup {
    let lanes = lane::HEIGHT * plan.lanes.len() as f64;
    let [name, says] = ["svg-title", "svg-says"].map(|part| plan.story.anchor.part(part));
    html! {
        svg class="lanes" width="100%" height=(lanes + AXIS) role="group" aria-labelledby={ (name) " " (says) } {
            title id=(name) { (shown(&plan.story.title)) }
            desc id=(says) { (says_itself(plan)) }
            (defs(plan))
            (breaks(plan, lanes))
            @for (index, row) in plan.lanes.iter().enumerate() {
                (lane(plan, row, lane::HEIGHT * index as f64))
            }
            (links(plan))
            @for step in &plan.steps {
                (mark(plan, step, lane::HEIGHT * step.lane as f64))
            }
            (axis(plan, lanes))
        }
    }
}

/// For those who do not see it.
fn says_itself(plan: &Plan<'_>) -> String {
    let refused = plan
        .steps
        .iter()
        .filter(|step| step.mark.kind == MarkKind::Refused)
        .count();
    format!(
        "{} lanes, {} steps, {refused} refused writes, over {}; time runs to the right; the tables below say the same in words",
        plan.lanes.len(),
        plan.steps.len(),
        length(plan.end.since(plan.begin)),
    )
}

fn defs(plan: &Plan<'_>) -> Markup {
    let anchor = &plan.story.anchor;
    html! {
        defs {
            pattern id=(anchor.part("hatch")) width="7" height="7" patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)" {
                line class="hatching" y2="7" {}
            }
            // Its tip stops where the sign of the opening begins.
            marker id=(anchor.part("tip")) viewBox="0 0 8 8" refX="19" refY="4" markerWidth="8" markerHeight="8"
                markerUnits="userSpaceOnUse" orient="auto" {
                path class="tip" d="M0 0L8 4L0 8Z" {}
            }
        }
    }
}

/// A line from each refused write to the opening that refused it.
fn links(plan: &Plan<'_>) -> Markup {
    let middle = |lane: usize| lane::HEIGHT * lane as f64 + lane::MIDDLE;
    let tip = format!("url(#{})", plan.story.anchor.part("tip"));
    html! {
        @for step in &plan.steps {
            @if let Some(by) = step.mark.refused_by.and_then(|id| plan.step(id)) {
                line class="refused-by" x1=(percent(plan.scale.place(step.mark.at))) y1=(middle(step.lane))
                    x2=(percent(plan.scale.place(by.mark.at))) y2=(middle(by.lane)) marker-end=(tip) {
                    title { "step " (step.number) " was refused by step " (by.number) }
                }
            }
        }
    }
}

/// The signs of stretches that are cut short.
fn breaks(plan: &Plan<'_>, height: f64) -> Markup {
    html! {
        @for cut in plan.scale.breaks() {
            g class="break" {
                line x1=(percent(cut.place)) x2=(percent(cut.place)) y1="0" y2=(height) {}
                svg x=(percent(cut.place)) y=(height) overflow="visible" {
                    path d="M-5 -6L-1 6M1 -6L5 6" {}
                    title { "cut short: " (length(cut.micros)) }
                }
            }
        }
    }
}

fn axis(plan: &Plan<'_>, top: f64) -> Markup {
    html! {
        g class="axis" aria-hidden="true" {
            line x1="0" x2="100%" y1=(top) y2=(top) {}
            @for (moment, place) in plan.scale.named(named_apart(plan.story.times)) {
                @let anchor = if place > 90.0 { "end" } else if place < 1.0 { "start" } else { "middle" };
                line x1=(percent(place)) x2=(percent(place)) y1=(top - 4.0) y2=(top + 4.0) {}
                text x=(percent(place)) y=(top + 18.0) text-anchor=(anchor) { (plan.time(moment)) }
            }
        }
    }
}

/// What the signs mean that this picture has.
fn legend(plan: &Plan<'_>) -> Markup {
    let has_bar = |kind| {
        plan.lanes
            .iter()
            .any(|row| row.lane.bars.iter().any(|bar| bar.kind == kind))
    };
    let has_mark = |kind| plan.steps.iter().any(|step| step.mark.kind == kind);
    let bars = BarKind::ALL.into_iter().filter(|&kind| has_bar(kind));
    let marks = [MarkKind::Opened, MarkKind::Entry, MarkKind::Refused].into_iter();
    html! {
        ul class="legend" aria-hidden="true" {
            @for kind in bars {
                li {
                    svg width="22" height="16" {
                        rect class={ "bar " (kind.name()) } y="2" width="22" height="12" rx="3" {}
                        @if kind == BarKind::Frozen {
                            rect class="hatch" y="2" width="22" height="12" rx="3"
                                fill={ "url(#" (plan.story.anchor.part("hatch")) ")" } {}
                        }
                    }
                    (explained(kind))
                }
            }
            @for kind in marks.filter(|&kind| has_mark(kind)) {
                li { svg width="22" height="22" viewBox="-11 -11 22 22" { (glyph(kind, "")) } (kind.name()) }
            }
            @if !plan.scale.breaks().is_empty() { li { span class="sign" { "//" } "cut short" } }
        }
    }
}

fn explained(kind: BarKind) -> &'static str {
    match kind {
        BarKind::Lease => "holds the lease",
        BarKind::Window => "window: acquired, not opened",
        BarKind::Section => "opened: its writes are admitted",
        BarKind::Frozen => "frozen",
    }
}

fn left_out(plan: &Plan<'_>) -> Markup {
    let (lanes, marks) = plan.left_out;
    html! {
        @if lanes > 0 { p class="left-out" { (lanes) " more lanes are not drawn" } }
        @if marks > 0 { p class="left-out" { (marks) " more steps of these lanes are not drawn" } }
    }
}
