//! What the scenarios hold the outcomes against: the number of effects, and what somebody was told.

use super::super::outcome::{Applied, Rejected};
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;

/// What somebody has read when it entered is all that there is, beside its own writes.
pub(super) async fn reading_holds<S: Subject>(
    stage: &Stage<S>,
    who: &str,
    seen: i64,
    own: i64,
) -> Result<(), Stop> {
    let effects = stage.effects().await?;
    if effects == seen + own {
        return Ok(());
    }
    let own = match own {
        0 => String::new(),
        own => format!(" and wrote {own}"),
    };
    Stop::broken(
        Rule::S2,
        format!(
            "{who} entered and read {}{own}; {}",
            count(seen),
            there_are(effects)
        ),
    )
}

/// A write that has to come to nothing did, and whoever sent it was told so.
pub(super) async fn came_to_nothing<S: Subject>(
    stage: &Stage<S>,
    rule: Rule,
    who: &str,
    outcome: &Result<Applied, Rejected>,
    effects: i64,
) -> Result<(), Stop> {
    let now = stage.effects().await?;
    let there_are = there_are(now);
    match outcome {
        Err(_) if now == effects => Ok(()),
        Ok(_) if now == effects => Stop::broken(
            Rule::S7,
            format!("the write of {who} was said to have succeeded; {there_are} as before"),
        ),
        _ => Stop::broken(
            rule,
            format!(
                "the write of {who} {}; there had been {}, {there_are}",
                told(outcome),
                count(effects)
            ),
        ),
    }
}

/// An entry that has to be refused was.
pub(super) fn was_kept_out(
    rule: Rule,
    who: &str,
    outcome: &Result<i64, Rejected>,
) -> Result<(), Stop> {
    match outcome {
        Err(_) => Ok(()),
        Ok(_) => Stop::broken(rule, format!("{who} entered")),
    }
}

/// So many effects, in words.
pub(super) fn count(effects: i64) -> String {
    match effects {
        0 => "no effect".to_owned(),
        1 => "1 effect".to_owned(),
        more => format!("{more} effects"),
    }
}

/// So many there are, in words.
pub(super) fn there_are(effects: i64) -> String {
    let verb = if effects > 1 { "are" } else { "is" };
    format!("there {verb} {}", count(effects))
}
