//! Statements around the guard, against a table that the service says is protected.

use std::collections::BTreeSet;

use fence::{Holder, Permit};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::super::claims::Protected;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::Stop;
use super::super::subject::Subject;

/// What a protected table, and a role without the right, answer with.
const REFUSED: [&str; 2] = ["ZF007", "42501"];

/// What a table's own rules answer with: a constraint (class 23), or a trigger of the service (`raise exception`).
const OWN_RULES: [&str; 2] = ["23", "P0001"];

/// The statement that the service gives; the kit makes the others.
const INSERT: &str = "insert";

/// Somebody at a keyboard who has the service's role.
struct Hand {
    connection: PgConnection,
    protected: Protected,
    /// The resource that every statement is about.
    resource: String,
    /// Beside the insertion: what changes, deletes and truncates.
    rewrites: Vec<String>,
    /// How many statements were refused.
    refused: usize,
    /// What the table's own rules kept from being done, so that nothing is known of the guard.
    unproved: BTreeSet<String>,
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
    for (permit, setting) in [
        ("no permit", String::new()),
        ("the permit of an overtaken holder", carried(a.permit())),
        ("an invented permit", carried(&invented)),
    ] {
        hand.try_all(permit, &setting).await?;
    }
    if stage.effects().await? != effects {
        let seen = "statements by hand were refused, and the effects are others";
        return Stop::broken(Rule::S3, seen);
    }
    b.must_write().await?;
    Ok(hand.seen())
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
        let options = stage.claims.service.clone();
        let options = options.application_name("fence-kit hand");
        let mut connection = PgConnection::connect_with(&options).await?;
        let role: String = sqlx::query_scalar("select current_user::text")
            .fetch_one(&mut connection)
            .await?;
        let rewrites = sqlx::query_scalar(include_str!("../sql/rewrite.sql"))
            .bind(&protected.table)
            .bind(&protected.column)
            .bind(stage.resource.as_str())
            .bind(&role)
            .fetch_all(&stage.operator)
            .await?;
        Ok(Hand {
            connection,
            protected,
            resource: stage.resource.to_string(),
            rewrites,
            refused: 0,
            unproved: BTreeSet::new(),
        })
    }

    /// Tries each statement while the transaction carries this setting.
    async fn try_all(&mut self, permit: &str, setting: &str) -> Result<(), Stop> {
        let inserted = self.attempt(None, setting).await?;
        self.judge(INSERT, permit, inserted)?;
        for rewrite in self.rewrites.clone() {
            let verb = rewrite.split_whitespace().next().unwrap_or_default();
            let outcome = self.attempt(Some(&rewrite), setting).await?;
            self.judge(verb, permit, outcome)?;
        }
        Ok(())
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

    /// What a statement came to. Only an error that refuses is a refusal: one that fails for another reason would
    /// have failed without any guard, too.
    fn judge(
        &mut self,
        verb: &str,
        permit: &str,
        outcome: Result<u64, sqlx::Error>,
    ) -> Result<(), Stop> {
        let error = match outcome {
            // Rows that the service's role does not see are not changed by it.
            Ok(0) if verb != "truncate" => {
                self.refused += 1;
                return Ok(());
            }
            Ok(_) => {
                let table = &self.protected.table;
                let seen = format!("{verb} by hand, with {permit}, succeeded on {table}");
                return Stop::broken(Rule::S3, seen);
            }
            Err(error) => error,
        };
        let answer = error.as_database_error().and_then(|answer| answer.code());
        let code = answer.unwrap_or_default();
        if REFUSED.contains(&&*code) {
            self.refused += 1;
            return Ok(());
        }
        if verb != INSERT && OWN_RULES.iter().any(|own| code.starts_with(own)) {
            self.unproved.insert(format!("{verb} ({code})"));
            return Ok(());
        }
        let statement = match verb {
            INSERT => "Protected::insert",
            _ => verb,
        };
        Stop::unplayed(format!(
            "{statement} failed for another reason than the guard: {error}"
        ))
    }

    /// What is told of all of them.
    fn seen(&self) -> String {
        let mut seen = format!(
            "{} statements by hand were refused: no permit, an overtaken one, an invented one",
            self.refused
        );
        if !self.unproved.is_empty() {
            let unproved: Vec<&str> = self.unproved.iter().map(String::as_str).collect();
            seen += "; not tried, as the table's own rules came before the guard: ";
            seen += &unproved.join(", ");
        }
        seen
    }
}
