//! A run of the kit: every scenario, one after the other.

use std::sync::Arc;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::error::KitError;
use super::gate;
use super::report::{Played, Report, Verdict};
use super::scenarios::Scenario;
use super::stage::Stage;
use super::stop::Stop;
use super::subject::Subject;

/// Plays every scenario over the subject, each with a resource of its own, and says what came out.
///
/// For a test database: while it runs, triggers of its schema `fence_kit` stand on the tables that the subject
/// names, and writes wait at them. A run that was cut off leaves them, open, for the next one to replace. One run
/// at a time over one table; it takes some seconds.
///
/// # Errors
/// [`KitError`] where the kit itself could not work. What a service does wrong is in the report.
pub async fn conform<S: Subject>(subject: S) -> Result<Report, KitError> {
    let subject = Arc::new(subject);
    let claims = subject.claims();
    let operator = pool(&claims.operator, "fence-kit operator").await?;
    let service = pool(&claims.service, "fence-kit clerk").await;
    let clerk = subject.start(service.map_err(KitError::Service)?);
    let clerk = tokio::time::timeout(claims.patience, clerk).await;
    let clerk = Arc::new(clerk.map_err(|_| KitError::NotStarted {
        within: claims.patience,
    })?);
    let mut tables = claims.effects.clone();
    tables.push(claims.openings.clone());

    gate::put_up(&operator, &tables).await?;
    let played = try_all(&subject, &operator, &clerk).await;
    gate::take_down(&operator, &tables).await?;
    Ok(Report { played: played? })
}

async fn try_all<S: Subject>(
    subject: &Arc<S>,
    operator: &PgPool,
    clerk: &Arc<S::Instance>,
) -> Result<Vec<Played>, KitError> {
    let mut played = Vec::new();
    for scenario in Scenario::ALL {
        let verdict = try_one(subject, operator, clerk, scenario).await?;
        played.push(Played { scenario, verdict });
    }
    Ok(played)
}

async fn try_one<S: Subject>(
    subject: &Arc<S>,
    operator: &PgPool,
    clerk: &Arc<S::Instance>,
    scenario: Scenario,
) -> Result<Verdict, KitError> {
    if !scenario.is_claimed(&subject.claims()) {
        return Ok(Verdict::NotClaimed);
    }
    let play = async {
        let stage = Stage::new(subject, operator, clerk).await?;
        scenario.play(&stage).await
    };
    match play.await {
        Ok(seen) => Ok(Verdict::Held { seen }),
        Err(stop) => Stop::verdict(stop),
    }
}

async fn pool(options: &PgConnectOptions, name: &str) -> Result<PgPool, sqlx::Error> {
    let options = options.clone().application_name(name);
    PgPoolOptions::new()
        .max_connections(2)
        .connect_with(options)
        .await
}
