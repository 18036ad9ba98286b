//! What the rightful holder must be able to do.

use super::super::gate::Gate;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::Stop;
use super::super::subject::Subject;
use super::checks::reading_holds;

/// One opening, two writes. "Refuse what is not higher" lets in only the first.
pub(super) async fn second_write<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let a = stage.holder("A", 11).await?;
    let seen = a.must_enter().await?;
    a.must_write().await?;
    a.must_write().await?;
    reading_holds(stage, "A", seen, 2).await?;
    Ok("A wrote twice under one opening".to_owned())
}

/// Two processes of A write at once; neither may fail because of the other, though one may wait.
pub(super) async fn two_writers<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let a = stage.holder("A", 11).await?;
    let options = stage.claims.service.clone();
    let twin = stage
        .process("A2", a.permit().clone(), options)
        .await?
        .with_opening_of(&a);
    let seen = a.must_enter().await?;
    let gate = stage.close_gate(Gate::InStatement).await?;
    let (one, two) = (a.start_write(), twin.start_write());
    stage.settle(&one).await?;
    stage.settle(&two).await?;
    gate.open().await?;
    let outcomes = [one.done().await?, two.done().await?];
    for outcome in outcomes {
        if let Err(rejected) = outcome {
            return Stop::broken(
                Rule::S10,
                format!("of two writes of the rightful holder at once one {rejected}"),
            );
        }
    }
    reading_holds(stage, "A", seen, 2).await?;
    Ok("two processes of A wrote at once, and both succeeded".to_owned())
}
