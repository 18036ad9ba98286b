//! Reads that a decision is taken on (C29: writes are fenced, reads are not).

use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::count;

/// A was overtaken and B has written: A's read is refused, not answered with what was or with what is.
pub(super) async fn stale_read<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    b.must_enter().await?;
    b.must_write().await?;
    let stale = a.read().await?;
    if let Ok(read) = stale {
        return Stop::broken(
            Rule::S2,
            format!("A, overtaken by B, was served {} to decide by", count(read)),
        );
    }
    match b.read().await? {
        Ok(1) => Ok(format!(
            "B wrote; A's read {}; B read 1 effect",
            told(&stale)
        )),
        Ok(other) => Stop::broken(
            Rule::S2,
            format!("B wrote, and then read {} under its opening", count(other)),
        ),
        Err(rejected) => Stop::broken(
            Rule::S10,
            format!("the read of B, the rightful holder, {rejected}"),
        ),
    }
}
