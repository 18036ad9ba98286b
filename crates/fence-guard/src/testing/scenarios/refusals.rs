//! Refusals: rows that are true, and that a loop does not multiply.

use fence::Reason;
use uuid::Uuid;

use crate::records::RefusalRow;

use super::super::outcome::Rejected;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;

/// A sends one late write three times: it is told *stale*, and one row tells of it.
pub(super) async fn late_refusal<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    b.must_enter().await?;
    let request = Uuid::new_v4();
    for _ in 0..3 {
        let late = a.request(request).await?;
        if !matches!(late, Err(Rejected::Refused(Reason::Stale))) {
            return Stop::broken(
                Rule::S7,
                format!(
                    "A, overtaken by B, was not told that it is stale: its write {}",
                    told(&late)
                ),
            );
        }
    }
    let rows = rows(stage).await?;
    let (fence, holder) = (a.permit().fence().as_i64(), a.permit().holder().as_uuid());
    let of_a = rows.iter().filter(|row| {
        row.presented_fence == fence && row.presented_holder == holder && row.reason == "stale"
    });
    match of_a.map(|row| row.attempts).collect::<Vec<_>>()[..] {
        [3] => Ok("A's late write was refused as stale three times; 1 row, 3 attempts".to_owned()),
        [] => Stop::broken(
            Rule::S7,
            "A's late write was refused three times, and no row tells of it",
        ),
        [attempts] => Stop::broken(
            Rule::S7,
            format!("A's late write was refused three times, its row says {attempts}"),
        ),
        ref rows => Stop::broken(
            Rule::S7,
            format!(
                "A's late write was refused three times, {} rows tell of it",
                rows.len()
            ),
        ),
    }
}

/// Whatever was refused on this stage, its row says the truth.
pub(super) async fn are_true<S: Subject>(stage: &Stage<S>) -> Result<(), Stop> {
    match rows(stage).await?.iter().find(|row| !is_true(row)) {
        None => Ok(()),
        Some(row) => Stop::broken(
            Rule::S7,
            format!(
                "a row says that fence {} was refused as \"{}\" against the mark {}",
                row.presented_fence, row.reason, row.observed_fence
            ),
        ),
    }
}

async fn rows<S: Subject>(stage: &Stage<S>) -> Result<Vec<RefusalRow>, Stop> {
    match stage
        .subject
        .refusals(&stage.operator, &stage.resource)
        .await
    {
        Ok(rows) => Ok(rows),
        Err(error) => Stop::unplayed(format!("the refusals could not be read: {error}")),
    }
}

fn is_true(row: &RefusalRow) -> bool {
    let is_own = row.observed_holder == Some(row.presented_holder);
    match row.reason.parse() {
        Ok(Reason::Stale) => row.observed_fence > row.presented_fence,
        Ok(Reason::NotOpen) => row.observed_fence < row.presented_fence,
        Ok(Reason::Conflict) => row.observed_fence == row.presented_fence && !is_own,
        Ok(Reason::Closed) => row.observed_fence == row.presented_fence && is_own,
        _ => false,
    }
}
