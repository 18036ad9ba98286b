//! Permits that let nobody write: never opened, another's number, another's resource, closed.

use fence::{Holder, Permit};
use uuid::Uuid;

use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::{came_to_nothing, was_kept_out};

/// B's number is the highest, but it has not opened: it may not have seen what A wrote.
pub(super) async fn never_opened<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 13).await?);
    let seen = a.must_enter().await?;
    let early = b.write().await?;
    came_to_nothing(stage, Rule::S3, "B, which never opened,", &early, seen).await?;
    a.must_write().await?;
    Ok(format!(
        "B's write with fence 13, above the mark 11, {}; A wrote",
        told(&early)
    ))
}

/// A lagging replica has handed out one number twice.
pub(super) async fn same_number<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 11).await?);
    let seen = a.must_enter().await?;
    let entry = b.enter().await?;
    let write = b.write().await?;
    came_to_nothing(
        stage,
        Rule::S5,
        "B, another holder of A's number,",
        &write,
        seen,
    )
    .await?;
    was_kept_out(Rule::S5, "B, another holder of A's number,", &entry)?;
    a.must_write().await?;
    Ok(format!(
        "under A's number B's entry {}, its write {}; A wrote",
        told(&entry),
        told(&write)
    ))
}

/// A has opened a resource, and writes on another one, which V has opened under the same number.
pub(super) async fn another_resource<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let v = stage.holder("V", 11).await?;
    let seen = v.must_enter().await?;
    let other = stage.another_resource().await?;
    let mine = Permit::new(other, v.permit().fence(), Holder::random());
    let a = stage
        .process("A", mine, stage.claims.service.clone())
        .await?;
    a.must_enter().await?;
    let through = a
        .start_effect(stage.resource.clone(), Uuid::new_v4())
        .done()
        .await?;
    let effects = stage.effects().await?;
    if effects != seen {
        let seen = format!(
            "A's write on V's resource, under the opening of another one, {}",
            told(&through)
        );
        return Stop::broken(Rule::S3, seen);
    }
    v.must_write().await?;
    Ok(format!(
        "A's write on V's resource {}, and had no effect there; V wrote",
        told(&through)
    ))
}

/// A has left: not even A writes under that opening any more.
pub(super) async fn closed<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let a = stage.holder("A", 11).await?;
    let seen = a.must_enter().await?;
    a.must_write().await?;
    if let Err(rejected) = a.leave().await? {
        return Stop::broken(
            Rule::S10,
            format!("A, the rightful holder, left: {rejected}"),
        );
    }
    let late = a.write().await?;
    came_to_nothing(stage, Rule::S3, "A, which had left,", &late, seen + 1).await?;
    let again = a.enter().await?;
    was_kept_out(Rule::S3, "A, which had left,", &again)?;
    Ok(format!(
        "A wrote and left; its next write {}, its next entry {}",
        told(&late),
        told(&again)
    ))
}
