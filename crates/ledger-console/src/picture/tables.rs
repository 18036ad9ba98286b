//! The tables below a picture: the same in words, for whoever does not see it, prints it or searches it.

use maud::{Markup, html};

use super::moment::length;
use super::plan::{Plan, Step};
use super::{glyph, shown};

/// Both tables, folded or not as the story says.
pub(crate) fn tables(plan: &Plan<'_>) -> Markup {
    html! {
        details class="in-words" open[plan.story.unfolded] {
            summary { "the same in words" }
            (steps(plan))
            (bars(plan))
        }
    }
}

fn steps(plan: &Plan<'_>) -> Markup {
    html! {
        table class="steps" {
            caption { "What happened, in its order" }
            thead { tr { th scope="col" { "step" } th scope="col" { "at" } th scope="col" { "who" } th scope="col" { "what" } } }
            tbody { @for step in &plan.steps { (row(plan, step)) } }
        }
    }
}

fn row(plan: &Plan<'_>, step: &Step<'_>) -> Markup {
    let anchor = &plan.story.anchor;
    let mark = step.mark;
    html! {
        tr id=(anchor.part(&format!("step-{}", step.mark.id.0))) class=(glyph::class(mark.kind)) {
            th scope="row" {
                a href={ "#" (anchor.part(&format!("mark-{}", step.mark.id.0))) } { (step.number) }
            }
            td class="at" { (plan.time(mark.at)) }
            td { bdi { (shown(&plan.story.lanes[step.lane].name)) } }
            td {
                bdi { (shown(&mark.text)) }
                @if let Some(by) = mark.refused_by.and_then(|id| plan.step(id)) {
                    " " a class="by" href={ "#" (anchor.part(&format!("step-{}", by.mark.id.0))) } {
                        "refused by step " (by.number)
                    }
                }
            }
        }
    }
}

fn bars(plan: &Plan<'_>) -> Markup {
    let lasted = plan
        .lanes
        .iter()
        .flat_map(|row| row.lane.bars.iter().map(move |bar| (row.lane, bar)));
    html! {
        @if plan.lanes.iter().any(|row| !row.lane.bars.is_empty()) {
            table class="spans" {
                caption { "What lasted" }
                thead { tr { th scope="col" { "who" } th scope="col" { "what" } th scope="col" { "from" } th scope="col" { "for" } } }
                tbody {
                    @for (lane, bar) in lasted {
                        @let lasted = length(bar.to.unwrap_or(plan.end).since(bar.from));
                        tr {
                            td { bdi { (shown(&lane.name)) } }
                            td { (bar.kind.name()) ": " bdi { (shown(&bar.text)) } }
                            td class="at" { (plan.time(bar.from)) }
                            td class="at" { (lasted) @if bar.to.is_none() { " so far" } }
                        }
                    }
                }
            }
        }
    }
}
