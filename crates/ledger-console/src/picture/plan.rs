//! What of a story is drawn, and in which order it happened.

use std::collections::HashMap;

use super::scale::Scale;
use super::{Bar, Lane, Mark, MarkId, Moment, Story};

/// The most lanes of one picture; a page shows fewer.
pub const LANES_AT_MOST: usize = 60;
/// The most marks of one lane: beyond that nobody tells them apart.
pub const MARKS_AT_MOST: usize = 40;

/// A story with numbered steps and a scale.
pub(crate) struct Plan<'a> {
    pub(crate) story: &'a Story,
    /// The lanes that are drawn.
    pub(crate) lanes: Vec<Row<'a>>,
    /// All drawn marks, in the order in which they happened.
    pub(crate) steps: Vec<Step<'a>>,
    pub(crate) scale: Scale,
    pub(crate) begin: Moment,
    pub(crate) end: Moment,
    /// How many lanes, and marks of drawn lanes, are left out.
    pub(crate) left_out: (usize, usize),
    places: HashMap<MarkId, usize>,
}

/// A lane as it is drawn.
pub(crate) struct Row<'a> {
    pub(crate) lane: &'a Lane,
    /// Its marks, as indices into the steps.
    pub(crate) steps: Vec<usize>,
}

/// A mark, its lane, and which step of the story it is.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) number: usize,
    pub(crate) lane: usize,
    pub(crate) mark: &'a Mark,
}

impl<'a> Plan<'a> {
    pub(crate) fn of(story: &'a Story) -> Plan<'a> {
        let drawn = &story.lanes[..story.lanes.len().min(LANES_AT_MOST)];
        let steps = steps(drawn);
        let marks: usize = drawn.iter().map(|lane| lane.marks.len()).sum();
        let left_out = (story.lanes.len() - drawn.len(), marks - steps.len());
        let mut lanes: Vec<Row<'_>> = drawn
            .iter()
            .map(|lane| Row {
                lane,
                steps: Vec::new(),
            })
            .collect();
        for (index, step) in steps.iter().enumerate() {
            lanes[step.lane].steps.push(index);
        }
        let moments = moments(drawn, &steps, story.until);
        let begin = moments
            .iter()
            .min()
            .copied()
            .unwrap_or(Moment::from_micros(0));
        let end = moments.iter().max().copied().unwrap_or(begin);
        let places = steps
            .iter()
            .enumerate()
            .map(|(index, step)| (step.mark.id, index))
            .collect();
        Plan {
            story,
            lanes,
            steps,
            scale: Scale::of(moments),
            begin,
            end,
            left_out,
            places,
        }
    }

    /// The step that a mark is, if it is drawn.
    pub(crate) fn step(&self, id: MarkId) -> Option<&Step<'a>> {
        self.places.get(&id).map(|&index| &self.steps[index])
    }

    /// Where a bar begins and how wide it is, in per cent.
    pub(crate) fn extent(&self, bar: &Bar) -> (f64, f64) {
        let from = self.scale.place(bar.from);
        let to = self.scale.place(bar.to.unwrap_or(self.end));
        (from, (to - from).max(0.0))
    }

    /// The name of a moment.
    pub(crate) fn time(&self, moment: Moment) -> String {
        self.story.times.name(moment, self.begin)
    }
}

/// The marks of the lanes in the order in which they happened, at most so many of each lane: the first.
fn steps(lanes: &[Lane]) -> Vec<Step<'_>> {
    let mut marks: Vec<(usize, &Mark)> = Vec::new();
    for (index, lane) in lanes.iter().enumerate() {
        let mut of_lane: Vec<&Mark> = lane.marks.iter().collect();
        of_lane.sort_by_key(|mark| (mark.at, mark.id));
        marks.extend(
            of_lane
                .into_iter()
                .take(MARKS_AT_MOST)
                .map(|mark| (index, mark)),
        );
    }
    marks.sort_by_key(|(_, mark)| (mark.at, mark.id));
    let numbered = marks.into_iter().enumerate();
    numbered
        .map(|(index, (lane, mark))| Step {
            number: index + 1,
            lane,
            mark,
        })
        .collect()
}

/// Every moment that needs a place of its own.
fn moments(lanes: &[Lane], steps: &[Step<'_>], until: Option<Moment>) -> Vec<Moment> {
    let mut moments: Vec<Moment> = steps.iter().map(|step| step.mark.at).collect();
    for bar in lanes.iter().flat_map(|lane| &lane.bars) {
        moments.push(bar.from);
        moments.extend(bar.to);
    }
    moments.extend(until);
    moments
}
