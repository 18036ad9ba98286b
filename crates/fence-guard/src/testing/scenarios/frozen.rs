//! A holder that stands still in the middle of its write.

use super::super::gate::Gate;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::{count, reading_holds};

/// A stops between its statement and its commit, holding every lock that it has. B enters within the bound;
/// then A goes on, and nothing of it commits.
///
/// Where A's write is one call, the server finishes it without A; B enters, and reads it.
pub(super) async fn frozen<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    let gate = stage.close_gate(Gate::InStatement).await?;
    let write = stage.at_gate(a.start_write()).await?;
    write.freezer().freeze();
    gate.open().await?;
    let states = stage.state_of(&write).await?;
    let is_within = states
        .iter()
        .any(|state| state.starts_with("idle in transaction"));

    let bound = stage.claims.bound;
    let entry = b.start_enter().done_within(bound).await;
    // Whatever became of B: A's locks have to go.
    write.freezer().thaw();
    let seen = match entry {
        Err(Stop::Broken(rule, _)) => {
            let seen =
                format!("A stood still in its transaction, and B had not entered after {bound:?}");
            return Stop::broken(rule, seen);
        }
        entry => b.entered(entry?)?,
    };
    let wrote = write.done().await?;
    reading_holds(stage, "B", seen, 0).await?;
    if wrote.is_ok() != (seen == 1) {
        return Stop::broken(
            Rule::S10,
            format!(
                "A went on and its write {}, and B had read {}",
                told(&wrote),
                count(seen)
            ),
        );
    }
    Ok(match is_within {
        true => format!(
            "A stood still in its transaction; B entered within {bound:?}; nothing of A was written"
        ),
        false => format!(
            "A stood still, its write is one call; B entered within {bound:?} and read {}",
            count(seen)
        ),
    })
}
