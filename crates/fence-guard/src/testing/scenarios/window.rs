//! The window: between the new holder's reading and its first write.

use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::{came_to_nothing, count, reading_holds};

/// A has slept past its lease, B has taken over and read; A wakes and writes before B does.
pub(super) async fn window<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    let seen = b.must_enter().await?;
    let late = a.write().await?;
    came_to_nothing(stage, Rule::S2, "A, overtaken by B,", &late, seen).await?;
    b.must_write().await?;
    reading_holds(stage, "B", seen, 1).await?;
    Ok(format!(
        "B entered and read {}; A's write {}; B wrote",
        count(seen),
        told(&late)
    ))
}
