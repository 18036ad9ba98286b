//! One lane of a picture: its name, its bars, its marks.

use maud::{Markup, html};

use super::glyph::glyph;
use super::plan::{Plan, Row, Step};
use super::{BarKind, MarkKind, shown};

/// From the top of a lane, in pixels.
pub(crate) const HEIGHT: f64 = 92.0;
const NAME_HEIGHT: f64 = 20.0;
/// The lines of the words above the marks.
const WORD_LINES: [f64; 2] = [32.0, 44.0];
/// The middle of the bars and the marks.
pub(crate) const MIDDLE: f64 = 63.0;
/// Half the height of a kind of bar.
fn half(kind: BarKind) -> f64 {
    match kind {
        BarKind::Lease | BarKind::Frozen => 14.0,
        BarKind::Window | BarKind::Section => 6.0,
    }
}

/// The width for which words are set: on a narrower place none is shown.
const SET_FOR: f64 = 760.0;
/// The width of a letter above a mark.
const LETTER: f64 = 6.4;

/// Draws the lane whose top is `top` pixels below the picture's.
pub(crate) fn lane(plan: &Plan<'_>, row: &Row<'_>, top: f64) -> Markup {
    html! {
        (name(row, top))
        line class="track" x1="0" x2="100%" y1=(top + MIDDLE) y2=(top + MIDDLE) {}
        (bars(plan, row, top))
        (words(plan, row, top))
    }
}

/// The name is HTML, so that a long one is cut with an ellipsis; its title has it whole.
fn name(row: &Row<'_>, top: f64) -> Markup {
    let lane = row.lane;
    html! {
        foreignObject x="0" y=(top) width="100%" height=(NAME_HEIGHT) {
            div class="lane-name" title={ (shown(&lane.name)) " " (shown(&lane.detail)) } {
                b { (shown(&lane.name)) } " " span { (shown(&lane.detail)) }
            }
        }
    }
}

fn bars(plan: &Plan<'_>, row: &Row<'_>, top: f64) -> Markup {
    let kinds = BarKind::ALL.into_iter();
    let bars = kinds.flat_map(|kind| row.lane.bars.iter().filter(move |bar| bar.kind == kind));
    html! {
        @for bar in bars {
            @let ((from, width), half) = (plan.extent(bar), half(bar.kind));
            rect class={ "bar " (bar.kind.name()) } x=(percent(from)) width=(percent(width))
                y=(top + MIDDLE - half) height=(half * 2.0) rx="3" {
                title { (shown(&bar.text)) }
            }
            @if bar.kind == BarKind::Frozen {
                rect class="hatch" x=(percent(from)) width=(percent(width)) rx="3"
                    y=(top + MIDDLE - half) height=(half * 2.0) fill=(hatch(plan)) {}
            }
        }
    }
}

/// The pattern that lies over a frozen span: it is told apart without its colour.
fn hatch(plan: &Plan<'_>) -> String {
    format!("url(#{})", plan.story.anchor.part("hatch"))
}

/// The words above the marks, in the first line that has room; where none has, the number must do.
fn words(plan: &Plan<'_>, row: &Row<'_>, top: f64) -> Markup {
    let mut ends = [f64::MIN; WORD_LINES.len()];
    let mut words = Vec::new();
    for &index in &row.steps {
        let mark = plan.steps[index].mark;
        let (place, word) = (plan.scale.place(mark.at), mark.word);
        let wide = word.len() as f64 * LETTER / SET_FOR * 100.0;
        let (anchor, left) = match place {
            _ if place < wide / 2.0 => ("start", place),
            _ if place > 100.0 - wide / 2.0 => ("end", place - wide),
            _ => ("middle", place - wide / 2.0),
        };
        let line = ends.iter().rposition(|&end| end <= left);
        if let Some(line) = line.filter(|_| !word.is_empty()) {
            ends[line] = left + wide + LETTER / SET_FOR * 100.0;
            words.push((place, WORD_LINES[line], anchor, word));
        }
    }
    html! {
        g class="words" aria-hidden="true" {
            @for (place, line, anchor, word) in words {
                text x=(percent(place)) y=(top + line) text-anchor=(anchor) { (word) }
            }
        }
    }
}

/// A mark: a link to the opening that refused it, or to its line in the table.
pub(crate) fn mark(plan: &Plan<'_>, step: &Step<'_>, top: f64) -> Markup {
    let (anchor, mark) = (&plan.story.anchor, step.mark);
    let by = mark.refused_by.and_then(|id| plan.step(id));
    let to = match by {
        Some(by) => anchor.part(&format!("mark-{}", by.mark.id.0)),
        None => anchor.part(&format!("step-{}", step.mark.id.0)),
    };
    let who = &plan.story.lanes[step.lane].name;
    let label = format!(
        "step {}, {}, {who}: {}",
        step.number,
        plan.time(mark.at),
        mark.text
    );
    let label = shown(&label);
    html! {
        a class="mark" id=(anchor.part(&format!("mark-{}", step.mark.id.0))) href={ "#" (to) }
            aria-label=(label) data-kind=(word(mark.kind)) {
            svg x=(percent(plan.scale.place(mark.at))) y=(top + MIDDLE) overflow="visible" {
                title { (label) }
                (glyph(mark.kind, &step.number.to_string()))
            }
        }
    }
}

fn word(kind: MarkKind) -> &'static str {
    match kind.name() {
        "" => "note",
        word => word,
    }
}

/// A share of the width.
pub(crate) fn percent(share: f64) -> String {
    format!("{share:.2}%")
}
