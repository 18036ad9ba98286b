//! Plays cells, and counts what came out: by the ledger's rows, not by the workers' word.

use anyhow::Context;
use serde::Serialize;

use crate::cell::{Cell, DUE, Outcome, Protection, Third};
use crate::incidents::{self, Scene};
use crate::log::{self, Entry, Log};
use crate::stage::{Names, Stage};
use crate::wire::Event;

/// A cell that was played.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) cell: Cell,
    pub(crate) names: Names,
    pub(crate) outcome: Outcome,
    pub(crate) entries: Vec<Entry>,
    /// Why it was not played to its end.
    pub(crate) error: Option<String>,
}

/// Whether the customer paid what is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    NotCharged,
    ChargedOnce,
    Overcharged,
}

/// How often a cell that could not be played to its end is played again: its first try says nothing about
/// the protection. A cell that was played and came out otherwise than documented is *not* played again.
const MOST_TRIES: u32 = 3;

/// Plays one cell and counts.
pub(crate) async fn play(stage: &Stage, cell: Cell) -> anyhow::Result<Played> {
    let mut played = try_to_play(stage, cell, 0).await?;
    for attempt in 1..MOST_TRIES {
        if played.error.is_none() {
            break;
        }
        played = try_to_play(stage, cell, attempt).await?;
    }
    Ok(played)
}

async fn try_to_play(stage: &Stage, cell: Cell, attempt: u32) -> anyhow::Result<Played> {
    let names = stage.names(cell, attempt);
    let log = Log::new();
    stage
        .open_account(cell, &names)
        .await
        .context("the customer has no account")?;
    let scene = Scene {
        stage,
        cell,
        names: &names,
        log: &log,
    };
    let error = incidents::play(&scene)
        .await
        .err()
        .map(|error| format!("{error:#}"));
    let entries = log.entries();
    let (charged, refused) = count(stage, cell, &names).await?;
    let (replayed, third) = (log::replayed(&entries), third(&entries));
    let outcome = Outcome {
        charged,
        refused,
        replayed,
        third,
    };
    Ok(Played {
        cell,
        names,
        outcome,
        entries,
        error,
    })
}

impl Played {
    pub(crate) fn is_as_documented(&self) -> bool {
        self.error.is_none() && self.outcome == self.cell.documented()
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self.outcome.charged {
            0 => Verdict::NotCharged,
            DUE => Verdict::ChargedOnce,
            _ => Verdict::Overcharged,
        }
    }
}

/// How often the customer was charged and how many writes were refused, by the rows.
async fn count(stage: &Stage, cell: Cell, names: &Names) -> anyhow::Result<(u64, u64)> {
    let sql = match cell.protection {
        Protection::FenceOpened => include_str!("../sql/count_guarded.sql"),
        _ => include_str!("../sql/count_story.sql"),
    };
    let (charged, refused): (i64, i64) = sqlx::query_as(sql)
        .bind(&names.account)
        .bind(&names.resource)
        .fetch_one(&stage.pool)
        .await?;
    Ok((charged.cast_unsigned(), refused.cast_unsigned()))
}

/// What became of C: its first meeting with the lock.
fn third(entries: &[Entry]) -> Option<Third> {
    entries
        .iter()
        .filter(|entry| entry.holder == 'C')
        .find_map(|entry| match entry.event {
            Event::Acquired { .. } => Some(Third::GotIn),
            Event::KeptOut { .. } => Some(Third::KeptOut),
            _ => None,
        })
}
