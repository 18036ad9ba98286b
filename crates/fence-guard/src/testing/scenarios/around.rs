//! Statements around the guard, against a table that the service says is protected.

use fence::{Holder, Permit};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::super::claims::Protected;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::Stop;
use super::super::subject::Subject;

/// What a protected table, and a role without the right, answer with.
const REFUSED: [&str; 2] = ["ZF007", "42501"];

/// Somebody at a keyboard who has the service's role.
struct Hand {
    connection: PgConnection,
    protected: Protected,
    /// The resource that every statement is about.
    resource: String,
    /// Beside the insertion: what changes, deletes and truncates.
    rewrites: Vec<String>,
}

/// Somebody with the service's role writes, changes, deletes and truncates by hand: without a permit, with the
/// one of an overtaken holder, and with an invented one.
pub(super) async fn around_the_guard<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let mut hand = Hand::of(stage).await?;
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    a.must_write().await?;
    b.must_enter().await?;
    b.must_write().await?;
    let effects = stage.effects().await?;

    let invented = Permit::new(stage.resource.clone(), b.permit().fence(), Holder::random());
    let mut tried = 0;
    for (permit, setting) in [
        ("no permit", String::new()),
        ("the permit of an overtaken holder", carried(a.permit())),
        ("an invented permit", carried(&invented)),
    ] {
        tried += hand.try_all(permit, &setting).await?;
    }
    if stage.effects().await? != effects {
        let seen = "statements by hand were refused, and the effects are others";
        return Stop::broken(Rule::S3, seen);
    }
    b.must_write().await?;
    Ok(format!(
        "{tried} statements by hand were refused: no permit, an overtaken one, an invented one"
    ))
}

/// How a transaction carries the permit that it was admitted with (`fence.admission`).
fn carried(permit: &Permit) -> String {
    let (fence, holder, resource) = (permit.fence(), permit.holder(), permit.resource());
    format!("{fence} {holder} {resource}")
}

impl Hand {
    async fn of<S: Subject>(stage: &Stage<S>) -> Result<Hand, Stop> {
        let Some(protected) = stage.claims.protected.clone() else {
            return Stop::unplayed("no table is protected");
        };
        let rewrites = sqlx::query_scalar(include_str!("../sql/rewrite.sql"))
            .bind(&protected.table)
            .bind(&protected.column)
            .bind(stage.resource.as_str())
            .fetch_all(&stage.operator)
            .await?;
        let options = stage.claims.service.clone();
        let options = options.application_name("fence-kit hand");
        Ok(Hand {
            connection: PgConnection::connect_with(&options).await?,
            protected,
            resource: stage.resource.to_string(),
            rewrites,
        })
    }

    /// Tries each statement while the transaction carries this setting. The answer is how many.
    async fn try_all(&mut self, permit: &str, setting: &str) -> Result<usize, Stop> {
        let inserted = self.attempt(None, setting).await?;
        self.judge("insert", permit, &inserted)?;
        if let Err(error) = inserted {
            let code = error.as_database_error().and_then(|answer| answer.code());
            if !code.is_some_and(|code| REFUSED.contains(&&*code)) {
                return Stop::unplayed(format!(
                    "Protected::insert failed for another reason than the guard: {error}"
                ));
            }
        }
        for rewrite in self.rewrites.clone() {
            let verb = rewrite.split_whitespace().next().unwrap_or_default();
            let outcome = self.attempt(Some(&rewrite), setting).await?;
            self.judge(verb, permit, &outcome)?;
        }
        Ok(1 + self.rewrites.len())
    }

    /// Runs a statement, the insertion if none, and takes it back. The inner answer is how many rows it changed.
    async fn attempt(
        &mut self,
        rewrite: Option<&str>,
        setting: &str,
    ) -> Result<Result<u64, sqlx::Error>, Stop> {
        let mut tx = self.connection.begin().await?;
        sqlx::query("select set_config('fence.admitted', $1, true)")
            .bind(setting)
            .execute(&mut *tx)
            .await?;
        let query = match rewrite {
            Some(rewrite) => sqlx::query(AssertSqlSafe(rewrite.to_owned())),
            None => sqlx::query(self.protected.insert).bind(&self.resource),
        };
        let mut outcome = query
            .execute(&mut *tx)
            .await
            .map(|done| done.rows_affected());
        if let Ok(rows) = outcome {
            // Checks that the service has put off to the commit are made now; nothing is to be committed.
            let checked = sqlx::query("set constraints all immediate")
                .execute(&mut *tx)
                .await;
            outcome = checked.map(|_| rows);
        }
        tx.rollback().await?;
        Ok(outcome)
    }

    fn judge(
        &self,
        verb: &str,
        permit: &str,
        outcome: &Result<u64, sqlx::Error>,
    ) -> Result<(), Stop> {
        match outcome {
            Err(_) => Ok(()),
            // Rows that the service's role does not see are not changed by it.
            Ok(0) if verb != "truncate" => Ok(()),
            Ok(_) => {
                let table = &self.protected.table;
                let seen = format!("{verb} by hand, with {permit}, succeeded on {table}");
                Stop::broken(Rule::S3, seen)
            }
        }
    }
}
