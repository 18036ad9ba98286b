//! What came out, as a table.

use std::fmt;

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use super::error::NotConforming;
use super::rule::Rule;
use super::scenarios::Scenario;

/// How wide the table is, in characters, wherever it is printed.
const WIDTH: u16 = 118;

/// What came out of one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The rule held.
    Held {
        /// What happened.
        seen: String,
    },
    /// The rule was broken.
    Broken {
        /// Which rule. It may be another than the one that the scenario is there for.
        rule: Rule,
        /// What happened.
        seen: String,
    },
    /// The service does not claim what the scenario is about.
    NotClaimed,
    /// It could not be played, so nothing is proved.
    Unplayed {
        /// What came in between, and what to mend.
        why: String,
    },
}

/// A scenario, and what came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Which one.
    pub scenario: Scenario,
    /// What came out.
    pub verdict: Verdict,
}

/// What came out of all scenarios. Its text is a table: scenario, rule, verdict, what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// One for each scenario, in the order in which they were played.
    pub played: Vec<Played>,
}

impl Report {
    /// The scenarios that convicted the service, each with the rule that it broke and what was seen.
    pub fn convictions(&self) -> impl Iterator<Item = (Scenario, Rule, &str)> {
        self.played
            .iter()
            .filter_map(|played| match &played.verdict {
                Verdict::Broken { rule, seen } => Some((played.scenario, *rule, seen.as_str())),
                _ => None,
            })
    }

    /// The scenarios that could not be played.
    pub fn unplayed(&self) -> impl Iterator<Item = Scenario> {
        let unplayed = |played: &&Played| matches!(played.verdict, Verdict::Unplayed { .. });
        self.played
            .iter()
            .filter(unplayed)
            .map(|played| played.scenario)
    }

    /// Whether every scenario was played, or is about something that the service does not claim, and no rule
    /// was broken.
    pub fn conforms(&self) -> bool {
        let good =
            |verdict: &Verdict| matches!(verdict, Verdict::Held { .. } | Verdict::NotClaimed);
        self.played.iter().all(|played| good(&played.verdict))
    }

    /// The report of a service that conforms.
    ///
    /// # Errors
    /// [`NotConforming`] if it does not; its text is the report.
    pub fn require(self) -> Result<Report, NotConforming> {
        if self.conforms() {
            Ok(self)
        } else {
            Err(NotConforming(self))
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        // The text is the same wherever it goes.
        table.force_no_tty();
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(WIDTH)
            .set_header(["scenario", "rule", "verdict", "what was seen"]);
        for played in &self.played {
            table.add_row(row(played));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for column in table.column_iter_mut().take(3) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        writeln!(f, "{}", table.trim_fmt())?;
        f.write_str(&self.closing())
    }
}

impl Report {
    fn closing(&self) -> String {
        let count = |is: fn(&Verdict) -> bool| {
            self.played
                .iter()
                .filter(|played| is(&played.verdict))
                .count()
        };
        let held = count(|verdict| matches!(verdict, Verdict::Held { .. }));
        let broken = count(|verdict| matches!(verdict, Verdict::Broken { .. }));
        let left_out = count(|verdict| matches!(verdict, Verdict::NotClaimed));
        let unplayed = count(|verdict| matches!(verdict, Verdict::Unplayed { .. }));
        format!("{held} held, {broken} broken, {left_out} not claimed, {unplayed} not played\n")
    }
}

fn row(played: &Played) -> [String; 4] {
    let scenario = played.scenario;
    let name = scenario.name().to_owned();
    match &played.verdict {
        Verdict::Held { seen } => [
            name,
            scenario.rule().to_string(),
            "held".into(),
            seen.clone(),
        ],
        Verdict::Broken { rule, seen } => [
            name,
            rule.to_string(),
            "BROKEN".into(),
            format!(
                "{seen}. {rule}: {}. Look at {}",
                rule.says(),
                look_at(scenario, *rule)
            ),
        ],
        Verdict::NotClaimed => [
            name,
            scenario.rule().to_string(),
            "not claimed".into(),
            String::new(),
        ],
        Verdict::Unplayed { why } => [
            name,
            scenario.rule().to_string(),
            "NOT PLAYED".into(),
            why.clone(),
        ],
    }
}

/// Where the mistake usually is. A scenario may convict of another rule than its own.
fn look_at(scenario: Scenario, rule: Rule) -> &'static str {
    match rule {
        _ if rule == scenario.rule() => scenario.look_at(),
        Rule::S2 => Scenario::InFlight.look_at(),
        Rule::S7 => {
            "what is told of a refusal: to the caller, and in its row, which says what the lock returned"
        }
        Rule::S10 => "what the rightful holder was told, whom nobody had overtaken",
        _ => scenario.look_at(),
    }
}
